import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Version of the product, from its package.json. */
export const readVersion = (): string => {
  const text = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
  const manifest: unknown = JSON.parse(text)
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}
