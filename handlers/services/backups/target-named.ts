import { invalid } from '../../errors.ts'
import { LOCAL, type BackupsPort } from '../../ports/host/backups/backups.ts'

/** The target that is meant: `local` is none, null the default one, if any. Answers null for none; throws 400. */
export const targetNamed = async (
  backups: Pick<BackupsPort, 'targets'>,
  name: string | null,
): Promise<string | null> => {
  if (name === LOCAL) return null
  const targets = await backups.targets()
  if (name === null) return targets.find(({ is_default }) => is_default)?.name ?? null
  if (targets.some((target) => target.name === name)) return name
  throw invalid('target', `target: there is no backup target named "${name}".`)
}
