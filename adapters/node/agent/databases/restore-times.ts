/**
 * How long a client that loads a dump may take: it runs as the tenant, who can
 * halt it, and suspension and deletion wait for it.
 */
export const RESTORE_TIMES = { stallMs: 120_000, limitMs: 3_600_000 } as const
