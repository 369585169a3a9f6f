import { readFileSync } from 'node:fs'

/** The version in the `package.json` of the copy that runs; `unknown` where it names none. */
export const productVersion = (): string => {
  const file = new URL('../../../package.json', import.meta.url)
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return known ? String(manifest.version) : 'unknown'
}
