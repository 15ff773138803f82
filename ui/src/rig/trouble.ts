/** Whether what is wrong with a card may be the rig's fault. */
import type { RigFrame } from "../backend/types/RigFrame";

/** Whether something critical concerns the rig as a whole, as when the driver cannot be read and so every card is missing. */
export function isRigTroubled(frame: RigFrame | null): boolean {
  return (
    frame?.status.matters.some(({ level, seats }) => level === "critical" && seats.length === 0) ?? false
  );
}
