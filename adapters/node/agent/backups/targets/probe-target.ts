import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError, isAppError, unavailable } from '#handlers/errors.ts'
import type { TargetTrial } from '#handlers/ports/host/backups/targets.ts'
import type { RemoteStore } from '../remote/remote-store.ts'

const PROBE_BYTES = 64
/** Names of probes; those that a target does not let go of are told by it. */
export const PROBE_PREFIX = 'berth-probe-'

const isDenied = (error: unknown): boolean =>
  isAppError(error) && /AccessDenied|permission denied|\b403\b/i.test(error.message)

const told = (step: string, error: unknown): unknown =>
  isAppError(error)
    ? new AppError(error.status, `${step}: ${error.message}`, { cause: error })
    : unavailable(`${step}: ${error instanceof Error ? error.message : String(error)}.`, error)

/** Whether what may be forbidden is allowed. */
const allowed = async (step: string, work: Promise<unknown>): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (isDenied(error)) return false
    throw told(step, error)
  }
}

/** Writes a small file to a target, reads it back, lists and removes it. 503 with what failed. */
export const probeTarget = async (store: RemoteStore): Promise<TargetTrial> => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-probe-'))
  const content = randomBytes(PROBE_BYTES)
  const name = `${PROBE_PREFIX}${randomBytes(8).toString('hex')}`
  try {
    const file = join(directory, 'probe')
    await writeFile(file, content, { mode: 0o600 })
    await store.put(name, file, content.length).catch((error: unknown) => {
      throw told('The test file could not be written', error)
    })
    try {
      const chunks: Buffer[] = []
      let have = 0
      for await (const chunk of (await store.open(name)) as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        if ((have += chunk.length) > PROBE_BYTES) break
      }
      if (!Buffer.concat(chunks).equals(content))
        throw unavailable(
          'The target gave back something else than what was written. Check that nothing between changes it.',
        )
    } catch (error) {
      await store.remove(name).catch(() => undefined)
      throw told('The test file could not be read back', error)
    }
    const canRemove = await allowed('The test file could not be removed', store.remove(name))
    const canList = await allowed('Files could not be listed', store.list(PROBE_PREFIX))
    return { can_list: canList, can_remove: canRemove }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
