import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '../../..')

const isBuilder = (
  value: unknown,
): value is { ensureBuild(root: string, options: { quiet: boolean; forWorker: boolean }): void } =>
  typeof value === 'object' && value !== null && 'ensureBuild' in value

/**
 * Builds the UI with the product's own script, which does nothing while the build is fresh.
 *
 * @param forWorker with what a Worker is bundled of
 */
export const ensureBuild = async (forWorker = false): Promise<void> => {
  const script: unknown = await import(pathToFileURL(join(ROOT, 'scripts/build.mjs')).href)
  if (!isBuilder(script)) throw new Error('scripts/build.mjs has no ensureBuild')
  script.ensureBuild(ROOT, { quiet: true, forWorker })
}
