import type { Log } from '#handlers/ports/log.ts'

/**
 * Settles parts of the host one after the other. One that fails is logged and keeps no other from it:
 * where mail does not serve, applications are started all the same. Never rejects.
 */
export const settleParts = async (
  parts: Readonly<Record<string, () => Promise<unknown>>>,
  log: Log,
): Promise<void> => {
  for (const [part, settle] of Object.entries(parts))
    try {
      await settle()
    } catch (error) {
      log.error('a part of the host was not settled', { part, error: String(error) })
    }
}
