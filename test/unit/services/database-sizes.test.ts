import { expect, it } from 'vitest'
import { createDatabaseSizes } from '#handlers/services/databases/database-sizes.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'

it('notes once a day, and later what a server did not tell', async () => {
  const clock = createFakeClock(Date.parse('2026-03-01T10:00:00Z'))
  const noted: unknown[] = []
  const warned: string[] = []
  let answers: (number | null)[] = []
  let lacking = ['alice_a', 'alice_b', 'bob_a']
  const sizes = createDatabaseSizes({
    clock,
    log: { info: () => undefined, error: () => undefined, warn: (text) => warned.push(text) },
    store: {
      databasesWithoutSize: async () =>
        lacking.map((database_name, index) => ({
          ...{ id: index + 1, engine: 'mariadb', database_name },
          username: database_name.slice(0, database_name.indexOf('_')),
        })),
      putDatabaseSizes: async (...call: unknown[]) => void noted.push(call),
    } as never,
    host: {
      databases: {
        facts: async ({ username }: { username: string }) => {
          if (username === 'bob') throw new Error('away')
          return ['alice_a', 'alice_b'].map((database, index) => ({
            ...{ engine: 'mariadb', database, tables: 0, size_bytes: answers[index] ?? null },
          }))
        },
      },
    } as never,
  })
  answers = [7, null]
  await Promise.all([sizes.note(), sizes.note()])
  // 400 days before.
  expect(noted).toEqual([['2026-03-01', [{ database_id: 1, size_bytes: 7 }], '2025-01-25']])
  expect(warned).toHaveLength(1)
  lacking = ['alice_b']
  answers = [7, 9]
  await sizes.note()
  expect(noted[1]).toEqual(['2026-03-01', [{ database_id: 1, size_bytes: 9 }], '2025-01-25'])
  lacking = []
  await sizes.note()
  expect(noted).toHaveLength(2)
})
