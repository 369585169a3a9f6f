/** Long drills that take turns. */
export const TURNS: readonly { name: string; keep: number; files: readonly string[] }[]

/** Which files of the groups are left out of a run, and a line for each group that says so. */
export function takeTurns(
  seed: string,
  groups?: readonly { name: string; keep: number; files: readonly string[] }[],
): { leftOut: Set<string>; samples: string[] }
