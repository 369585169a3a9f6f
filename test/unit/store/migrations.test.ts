import { expect, it } from 'vitest'
import { MIGRATIONS } from '#adapters/shared/store/migrations/migrations.ts'

it('lists migrations by rising version, since a store remembers the highest alone', () => {
  const versions = MIGRATIONS.map(({ version }) => version)
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
})
