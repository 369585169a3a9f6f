import { describe, expect, it } from 'vitest'
import { otherVersions } from '../../../scripts/packages.mjs'

interface Entry {
  version: string
  optional?: boolean
}
const lockOf = (packages: Record<string, Entry>) =>
  JSON.stringify({ packages: { '': { version: '1.0.0' }, ...packages } })
const LOCKED = { 'node_modules/tool': { version: '1.0.0' } }

describe('what npm made of the lock', () => {
  it('may name builds for platforms that the registry did not list before', () => {
    const written = {
      ...LOCKED,
      'node_modules/tool-darwin-x64': { version: '1.0.0', optional: true },
    }
    expect(otherVersions(lockOf(LOCKED), lockOf(written))).toEqual([])
    expect(otherVersions(lockOf(written), lockOf(LOCKED))).toEqual([])
  })

  it('names neither other versions nor further packages', () => {
    const other = { 'node_modules/tool': { version: '1.0.1', optional: true } }
    expect(otherVersions(lockOf(LOCKED), lockOf(other))).toEqual(['node_modules/tool'])
    const further = { ...LOCKED, 'node_modules/further': { version: '1.0.0' } }
    expect(otherVersions(lockOf(LOCKED), lockOf(further))).toEqual(['node_modules/further'])
  })
})
