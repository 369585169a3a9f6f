/** The code of a system error, e.g. `ENOENT`; empty for everything else that is thrown. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
