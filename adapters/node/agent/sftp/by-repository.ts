import type { SftpLoginKey } from '#handlers/ports/host/sftp.ts'

/** Keys for one repository alone, and the others. */
export const byRepository = (
  keys: readonly SftpLoginKey[],
): [bound: SftpLoginKey[], open: SftpLoginKey[]] => [
  keys.filter(({ repository }) => repository !== undefined),
  keys.filter(({ repository }) => repository === undefined),
]
