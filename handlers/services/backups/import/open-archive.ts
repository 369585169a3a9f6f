import type { ArchiveFacts, ArchiveSource } from '../../../ports/host/backups/archived-records.ts'
import type { ImportsPort } from '../../../ports/host/backups/imports.ts'
import type { Report } from '../../../ports/jobs.ts'
import { followWork } from '../work.ts'

/** Waits for a step that was begun; throws what it failed with. */
export const followImport = async (
  imports: ImportsPort,
  importId: string,
  step: 'open' | 'fill',
  report?: Report,
): Promise<ArchiveFacts> => {
  const facts = await followWork(() => imports.wait({ importId, step }), 'an import', report)
  if (facts === null) throw new Error('the host tells nothing of an import')
  return facts
}

/** Opens an archive for as long as `work` takes. */
export const withArchive = async <T>(
  imports: ImportsPort,
  source: ArchiveSource,
  work: (facts: ArchiveFacts, importId: string) => Promise<T>,
  report?: Report,
): Promise<T> => {
  const importId = crypto.randomUUID()
  try {
    await imports.open({ importId, source })
    return await work(await followImport(imports, importId, 'open', report), importId)
  } finally {
    // One that stays open is forgotten with the host's next restart.
    await imports.close({ importId }).catch(() => undefined)
  }
}
