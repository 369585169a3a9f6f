import { beforeAll, describe, expect, it } from 'vitest'
import type {
  DatabaseGrant,
  DatabaseUsersPort,
} from '#handlers/ports/host/databases/database-users.ts'
import type { DatabasesPort } from '#handlers/ports/host/databases.ts'

/** A connection as a tenant has it. */
export interface OpenDatabase {
  run(sql: string): Promise<Record<string, unknown>[]>
  end(): Promise<void>
}

/** Ports with two accounts they know and one running engine (or what stands for it). */
export interface DatabaseUsersPortSubject {
  databases: DatabasesPort
  users: DatabaseUsersPort
  engine: 'mariadb' | 'postgresql'
  username: string
  otherUsername: string
  /** Absent where nothing can log in. */
  open?(user: string, password: string, database: string): Promise<OpenDatabase>
}

export const OWNER_PASSWORD = 'owner of it 1'
const PASSWORD = `p'"\\\`%_ ä;-- 1`

/** What every implementation of `DatabaseUsersPort` keeps to. */
export const databaseUsersPortContract = (
  label: string,
  create: () => Promise<DatabaseUsersPortSubject>,
): void => {
  describe(`DatabaseUsersPort: ${label}`, () => {
    let subject: DatabaseUsersPortSubject
    let serial = 0
    const operationId = (): string => `database-users-contract-${(serial += 1)}`
    const full = (name: string, username = subject.username): string => `${username}_${name}`
    const who = (name: string) => ({
      username: subject.username,
      engine: subject.engine,
      user: full(name),
    })
    const grants = (...list: [name: string, rights: DatabaseGrant['rights']][]): DatabaseGrant[] =>
      list.map(([name, rights]) => ({ database: full(name), rights }))

    /** Whether each statement is let through in a connection of its own; null: nobody can log in. */
    const tries = async (
      user: string,
      database: string,
      statements: string[],
      password = PASSWORD,
    ): Promise<boolean[] | null> => {
      if (subject.open === undefined) return null
      const open = await subject.open(full(user), password, full(database))
      const results: boolean[] = []
      for (const statement of statements)
        results.push(
          await open.run(statement).then(
            () => true,
            () => false,
          ),
        )
      await open.end()
      return results
    }
    const expectTries = async (
      user: string,
      database: string,
      expected: Record<string, boolean>,
    ): Promise<void> => {
      const found = await tries(user, database, Object.keys(expected))
      if (found !== null) expect(found).toEqual(Object.values(expected))
    }
    const expectLogin = async (
      user: string,
      database: string,
      expected: boolean,
      password = PASSWORD,
    ): Promise<void> => {
      if (subject.open === undefined) return
      const found = await tries(user, database, ['SELECT 1'], password).catch(() => null)
      expect(found !== null).toBe(expected)
    }
    const owner = async (database: string, ...statements: string[]): Promise<void> => {
      await tries(database, database, statements, OWNER_PASSWORD).then((results) => {
        if (results !== null) expect(results).toEqual(statements.map(() => true))
      })
    }

    beforeAll(async () => {
      subject = await create()
      for (const [username, name] of [
        [subject.username, 'shop'],
        [subject.username, 'blog'],
        [subject.otherUsername, 'shop'],
      ] as const)
        await subject.databases.create({
          operationId: operationId(),
          username,
          engine: subject.engine,
          database: full(name, username),
          user: full(name, username),
          password: OWNER_PASSWORD,
        })
      await owner('shop', 'CREATE TABLE before_it (a int)', 'INSERT INTO before_it VALUES (1)')
    })

    it('makes a user who reads one database, once per operation', async () => {
      const call = { ...who('reader'), password: PASSWORD, grants: grants(['shop', 'read']) }
      const id = operationId()
      const made = await subject.users.create({ ...call, operationId: id })
      expect(await subject.users.create({ ...call, operationId: id })).toEqual(made)
      await owner('shop', 'CREATE TABLE after_it (a int)', 'INSERT INTO after_it VALUES (2)')
      await expectTries('reader', 'shop', {
        'SELECT * FROM before_it': true,
        'SELECT * FROM after_it': true,
        'INSERT INTO after_it VALUES (3)': false,
        'UPDATE before_it SET a = 3': false,
        'DELETE FROM before_it': false,
        'CREATE TABLE mine (a int)': false,
        'DROP TABLE before_it': false,
      })
      await expectLogin('reader', 'blog', false)
      await expectLogin('reader', 'shop', false, 'wrong password')
    })

    it('gives other rights, and more databases', async () => {
      const call = { ...who('reader'), operationId: operationId() }
      await subject.users.setGrants({ ...call, grants: grants(['shop', 'write'], ['blog', 'all']) })
      await expectTries('reader', 'shop', {
        'INSERT INTO after_it VALUES (3)': true,
        'UPDATE before_it SET a = 3': true,
        'DELETE FROM after_it WHERE a = 3': true,
        'CREATE TABLE mine (a int)': false,
        'ALTER TABLE before_it ADD b int': false,
        'DROP TABLE before_it': false,
      })
      await expectTries('reader', 'blog', {
        'CREATE TABLE made (a int)': true,
        'INSERT INTO made VALUES (1)': true,
        'ALTER TABLE made ADD b int': true,
      })
      // What he made is the database's, not his.
      await owner('blog', 'INSERT INTO made VALUES (2, 3)', 'SELECT * FROM made')
      await subject.users.setGrants({
        ...call,
        operationId: operationId(),
        grants: grants(['shop', 'read'], ['blog', 'read']),
      })
      await expectTries('reader', 'shop', {
        'SELECT * FROM before_it': true,
        'INSERT INTO after_it VALUES (4)': false,
      })
      await expectTries('reader', 'blog', {
        'SELECT * FROM made': true,
        'INSERT INTO made VALUES (4, 4)': false,
        'CREATE TABLE more (a int)': false,
      })
      await owner('blog', 'SELECT * FROM made')
    })

    it('changes the password', async () => {
      await subject.users.setPassword({
        ...who('reader'),
        operationId: operationId(),
        password: 'another one 22',
      })
      await expectLogin('reader', 'shop', false)
      await expectLogin('reader', 'shop', true, 'another one 22')
      await subject.users.setPassword({
        ...who('reader'),
        operationId: operationId(),
        password: PASSWORD,
      })
    })

    it('renames users of both kinds, with password and rights', async () => {
      await subject.users.rename({
        ...who('reader'),
        operationId: operationId(),
        to: full('teller'),
      })
      await expectTries('teller', 'shop', {
        'SELECT * FROM before_it': true,
        'INSERT INTO after_it VALUES (4)': false,
      })
      await expectLogin('reader', 'shop', false)
      await subject.users.setGrants({
        ...who('teller'),
        operationId: operationId(),
        grants: grants(['shop', 'all'], ['blog', 'read']),
      })
      await subject.users.rename({ ...who('shop'), operationId: operationId(), to: full('seller') })
      if (subject.open !== undefined) {
        await expectLogin('shop', 'shop', false, OWNER_PASSWORD)
        expect(
          await tries('seller', 'shop', ['CREATE TABLE renamed (a int)'], OWNER_PASSWORD),
        ).toEqual([true])
      }
      await expectTries('teller', 'shop', {
        'INSERT INTO renamed VALUES (4)': true,
        'CREATE TABLE his (a int)': true,
        'DROP TABLE his': true,
      })
      await expect(
        subject.users.rename({ ...who('teller'), operationId: operationId(), to: full('blog') }),
      ).rejects.toMatchObject({ status: 409 })
      await subject.users.rename({ ...who('seller'), operationId: operationId(), to: full('shop') })
      await expectTries('teller', 'shop', { 'SELECT * FROM renamed': true })
    })

    it('refuses names that are taken, not the account’s or not there, and short passwords', async () => {
      const call = { ...who('teller'), password: PASSWORD, grants: grants(['shop', 'read']) }
      const create = (change: Partial<typeof call>) =>
        subject.users.create({ ...call, ...change, operationId: operationId() })
      await expect(create({})).rejects.toMatchObject({ status: 409 })
      await expect(create({ user: full('shop') })).rejects.toMatchObject({ status: 409 })
      for (const user of ['root', full('x', subject.otherUsername), `${full('a')}'`, full('')])
        await expect(create({ user })).rejects.toMatchObject({ status: 400 })
      await expect(create({ user: full('new'), password: 'short' })).rejects.toMatchObject({
        status: 400,
      })
      await expect(create({ user: full('new'), grants: [] })).rejects.toMatchObject({ status: 400 })
      for (const [database, status] of [
        [full('shop', subject.otherUsername), 400],
        [`${subject.username}%`, 400],
        ['mysql', 400],
        ['postgres', 400],
        [full('none'), 404],
      ] as const)
        await expect(
          create({ user: full('new'), grants: [{ database, rights: 'read' }] }),
        ).rejects.toMatchObject({ status })
      const missing = { ...who('nobody'), operationId: operationId() }
      await expect(
        subject.users.setGrants({ ...missing, grants: grants(['shop', 'read']) }),
      ).rejects.toMatchObject({ status: 404 })
      await expect(
        subject.users.setPassword({ ...missing, password: PASSWORD }),
      ).rejects.toMatchObject({ status: 404 })
      await expect(
        subject.users.rename({ ...missing, to: full('somebody') }),
      ).rejects.toMatchObject({ status: 404 })
      // A database takes no user's name either.
      await expect(
        subject.databases.create({
          ...who('teller'),
          operationId: operationId(),
          database: full('taken'),
          password: PASSWORD,
        }),
      ).rejects.toMatchObject({ status: 409 })
    })

    it('locks and opens them with the account', async () => {
      const { username } = subject
      await subject.databases.setLocked({ operationId: operationId(), username, locked: true })
      await expectLogin('teller', 'shop', false)
      await subject.databases.setLocked({ operationId: operationId(), username, locked: false })
      await expectTries('teller', 'blog', {
        'SELECT * FROM made': true,
        'INSERT INTO made VALUES (4, 4)': false,
      })
    })

    it('takes them from a database that goes, and with the last of theirs', async () => {
      await subject.users.create({
        ...who('only'),
        operationId: operationId(),
        password: PASSWORD,
        grants: grants(['blog', 'write']),
      })
      await subject.databases.remove({
        ...who('blog'),
        operationId: operationId(),
        database: full('blog'),
      })
      await expectLogin('teller', 'shop', true)
      await expect(
        subject.users.setPassword({
          ...who('only'),
          operationId: operationId(),
          password: PASSWORD,
        }),
      ).rejects.toMatchObject({ status: 404 })
      // The name of the database again, and nobody is let in who was.
      await subject.databases.create({
        ...who('blog'),
        operationId: operationId(),
        database: full('blog'),
        password: OWNER_PASSWORD,
      })
      await expectLogin('teller', 'blog', false)
      await expectLogin('only', 'blog', false)
    })

    it('removes them, also when they are gone', async () => {
      await subject.users.remove({ ...who('teller'), operationId: operationId() })
      await subject.users.remove({ ...who('teller'), operationId: operationId() })
      await expectLogin('teller', 'shop', false)
      await owner('shop', 'SELECT * FROM renamed')
    })
  })
}
