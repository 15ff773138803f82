// placeholder until generated
export type About = { name: string, version: string, };
