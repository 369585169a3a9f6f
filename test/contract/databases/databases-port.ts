import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatabasesPort } from '#handlers/ports/host/databases.ts'

/** A port with two accounts it knows and one running engine (or what stands for it). */
export interface DatabasesPortSubject {
  databases: DatabasesPort
  engine: 'mariadb' | 'postgresql'
  /** What `create` answers. */
  host: string
  /** Of a database without tables. */
  emptySizeBytes: unknown
  username: string
  otherUsername: string
  /** Whether these credentials open that database now; absent where nothing can log in. */
  canLogIn?(user: string, password: string, database: string): Promise<boolean>
  dispose(): Promise<void>
}

const PASSWORD = `p'"\\\`%_ ä;-- 1`

/** What every implementation of `DatabasesPort` keeps to. */
export const databasesPortContract = (
  label: string,
  create: () => Promise<DatabasesPortSubject>,
): void => {
  describe(`DatabasesPort: ${label}`, () => {
    let subject: DatabasesPortSubject
    let serial = 0
    const operationId = (): string => `databases-contract-${(serial += 1)}`
    const named = (name: string, username = subject.username) => ({
      username,
      engine: subject.engine,
      database: `${username}_${name}`,
      user: `${username}_${name}`,
    })
    const canLogIn = async (
      names: { user: string; database: string },
      expected: boolean,
      password = PASSWORD,
    ): Promise<void> => {
      if (subject.canLogIn)
        expect(await subject.canLogIn(names.user, password, names.database)).toBe(expected)
    }

    beforeAll(async () => {
      subject = await create()
    })
    afterAll(async () => {
      await subject.dispose()
    })

    it('names its engines', async () => {
      const [engine] = await subject.databases.engines()
      const { host } = subject
      expect(engine).toMatchObject({ engine: subject.engine, running: true, host })
      expect(engine?.version).toMatch(/^\d+\./)
    })

    it('creates a database with its user, once per operation', async () => {
      const input = { ...named('one'), operationId: operationId(), password: PASSWORD }
      const { engine, host, emptySizeBytes } = subject
      expect(await subject.databases.create(input)).toEqual({ host })
      expect(await subject.databases.create(input)).toEqual({ host })
      await canLogIn(input, true)
      await canLogIn(input, false, 'wrong password')
      const facts = await subject.databases.facts({ username: subject.username })
      expect(facts).toEqual([
        { engine, database: input.database, size_bytes: emptySizeBytes, tables: 0 },
      ])
    })

    it('serves mysql with what is installed', async () => {
      if (subject.engine !== 'mariadb') return
      const input = { ...named('my'), engine: 'mysql' as const }
      await subject.databases.create({ ...input, operationId: operationId(), password: PASSWORD })
      await canLogIn(input, true)
      await subject.databases.remove({ ...input, operationId: operationId() })
      await canLogIn(input, false)
    })

    it('refuses a name that exists', async () => {
      const call = { operationId: operationId(), password: PASSWORD }
      await expect(subject.databases.create({ ...named('one'), ...call })).rejects.toMatchObject({
        status: 409,
      })
      const sameUser = { ...named('two'), user: `${subject.username}_one` }
      await expect(
        subject.databases.create({ ...sameUser, ...call, operationId: operationId() }),
      ).rejects.toMatchObject({ status: 409 })
      const facts = await subject.databases.facts({ username: subject.username })
      expect(facts.map(({ database }) => database)).toEqual([`${subject.username}_one`])
    })

    it.each(['', 'x'.repeat(33), 'UPPER', 'a`b', "a'b", 'a%', 'a b', 'a;b', 'ä', 'a\n', '../a'])(
      'refuses the name %j',
      async (name) => {
        const bad = `${subject.username}_${name}`
        const good = named('good')
        const call = { ...good, operationId: operationId(), password: PASSWORD }
        await expect(subject.databases.create({ ...call, database: bad })).rejects.toMatchObject({
          status: 400,
        })
        await expect(subject.databases.create({ ...call, user: bad })).rejects.toMatchObject({
          status: 400,
        })
      },
    )

    it('refuses names of another account, of none, and unknown engines', async () => {
      const call = { ...named('good'), operationId: operationId(), password: PASSWORD }
      const foreign = `${subject.otherUsername}_good`
      for (const change of [{ database: foreign }, { user: foreign }, { database: 'mysql' }])
        await expect(subject.databases.create({ ...call, ...change })).rejects.toMatchObject({
          status: 400,
        })
      await expect(
        subject.databases.remove({ ...call, database: foreign, user: foreign }),
      ).rejects.toMatchObject({ status: 400 })
      await expect(
        subject.databases.create({ ...named('good', 'btnobody0'), ...pick(call) }),
      ).rejects.toMatchObject({ status: 404 })
      await expect(
        subject.databases.create({
          ...call,
          engine: subject.engine === 'mariadb' ? 'postgresql' : 'mariadb',
        }),
      ).rejects.toMatchObject({ status: 503 })
    })

    it('locks and opens every login of an account, and of no other', async () => {
      const other = named('one', subject.otherUsername)
      await subject.databases.create({ ...other, operationId: operationId(), password: PASSWORD })
      const { username } = subject
      await subject.databases.setLocked({ operationId: operationId(), username, locked: true })
      await canLogIn(named('one'), false)
      await canLogIn(other, true)
      await subject.databases.setLocked({ operationId: operationId(), username, locked: false })
      await canLogIn(named('one'), true)
    })

    it('changes a password, once per operation', async () => {
      const input = named('one')
      const change = { ...input, operationId: operationId(), password: 'another "one"\\ 2' }
      await subject.databases.setPassword(change)
      await canLogIn(input, false)
      await canLogIn(input, true, change.password)
      await subject.databases.setPassword({
        ...input,
        operationId: operationId(),
        password: PASSWORD,
      })
      await subject.databases.setPassword(change)
      await canLogIn(input, true)
    })

    it('changes no password of what is not there, or not the account’s', async () => {
      const call = { operationId: operationId(), password: PASSWORD }
      await expect(
        subject.databases.setPassword({ ...named('none'), ...call }),
      ).rejects.toMatchObject({ status: 404 })
      await expect(
        subject.databases.setPassword({
          ...named('one'),
          ...call,
          username: subject.otherUsername,
        }),
      ).rejects.toMatchObject({ status: 400 })
      const short = { ...named('one'), operationId: operationId(), password: 'short' }
      await expect(subject.databases.setPassword(short)).rejects.toMatchObject({ status: 400 })
    })

    it('removes database and user, also when they are gone', async () => {
      const input = named('one')
      await subject.databases.remove({ ...input, operationId: operationId() })
      await subject.databases.remove({ ...input, operationId: operationId() })
      await canLogIn(input, false)
      expect(await subject.databases.facts({ username: subject.username })).toEqual([])
      await subject.databases.create({ ...input, operationId: operationId(), password: PASSWORD })
      await subject.databases.remove({ ...input, operationId: operationId() })
    })
  })
}

const pick = ({ operationId, password }: { operationId: string; password: string }) => ({
  operationId,
  password,
})
