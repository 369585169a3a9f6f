/** See run-forwarding.mjs. */
export function runForwarding(
  program: string,
  args: string[],
  options?: { cwd?: string },
): Promise<number>
