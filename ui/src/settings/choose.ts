/** What is chosen in a list is asked for at once; the list then shows what holds, which is not the choice if that was refused. */

export async function choose(
  list: HTMLSelectElement,
  ask: (choice: string) => Promise<void>,
  held: () => string,
): Promise<void> {
  await ask(list.value);
  list.value = held();
}
