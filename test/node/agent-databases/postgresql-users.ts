import { beforeAll, describe, expect, it } from 'vitest'
import { createSlowQueries } from '#adapters/node/agent/databases/slow/slow-queries.ts'
import {
  madeDatabase,
  madeUser,
  outcomes,
  PASSWORD,
  putBack,
  rightsAfterCrash,
} from './users-subject.ts'
import type { UsersSubject } from './users-subject.ts'

/** What further users of PostgreSQL try, against a real server. */
export const postgresqlUsersAttacks = (make: () => UsersSubject): void => {
  describe('further users of PostgreSQL', () => {
    let subject: UsersSubject
    let shop = ''
    let neighbour = ''
    let reader = ''
    let all = ''
    const as = (user: string, ...statements: string[]) => outcomes(subject, user, shop, statements)

    beforeAll(async () => {
      subject = make()
      const { username } = subject
      shop = (await madeDatabase(subject, username, 'shop')).database
      neighbour = (await madeDatabase(subject, username, 'blog')).database
      await as(
        shop,
        'CREATE TABLE t (id serial, a int)',
        'INSERT INTO t (a) VALUES (1)',
        'CREATE SCHEMA inner_one',
        'CREATE TABLE inner_one.u (a int)',
      )
      reader = await madeUser(subject, username, 'reader', shop, 'read')
      all = await madeUser(subject, username, 'all', shop, 'all')
    })

    it('a reader sees all schemas, those of later too, and changes nothing', async () => {
      await as(shop, 'CREATE SCHEMA "La ter"', 'CREATE TABLE "La ter".w (id serial)')
      expect(
        await as(
          reader,
          'SELECT * FROM t',
          'SELECT * FROM inner_one.u',
          'SELECT * FROM "La ter".w',
          'SELECT last_value FROM "La ter".w_id_seq',
        ),
      ).toEqual(['done', 'done', 'done', 'done'])
      const found = await as(
        reader,
        'INSERT INTO t (a) VALUES (2)',
        "SELECT nextval('t_id_seq')",
        'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
        'CREATE FUNCTION f() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$ DELETE FROM t $$',
        'CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
        'CREATE SCHEMA mine',
        'CREATE TEMPORARY TABLE x (a int)',
        'CREATE VIEW v AS SELECT 1',
        "COPY t TO PROGRAM 'id'",
        "COPY (SELECT 1) TO '/tmp/berth-attack'",
        "SELECT pg_read_file('/etc/passwd')",
        'SELECT * FROM pg_authid',
        `SET ROLE ${shop}`,
        'SET SESSION AUTHORIZATION postgres',
        'SET ROLE postgres',
        `GRANT ${shop} TO ${reader}`,
        `GRANT pg_execute_server_program TO ${reader}`,
        `ALTER ROLE ${reader} SUPERUSER`,
        `ALTER ROLE ${reader} CREATEROLE`,
        `ALTER ROLE ${shop} PASSWORD 'mine'`,
        'CREATE EXTENSION pg_trgm',
        'TRUNCATE t',
        'LOCK TABLE t IN ACCESS EXCLUSIVE MODE',
        'SELECT * FROM t FOR UPDATE',
      )
      expect(found.filter((message) => message === 'done')).toEqual([])
      // The server only warns, and gives nothing.
      await as(reader, `GRANT INSERT ON t TO ${reader}`)
      const [inserted] = await as(reader, 'INSERT INTO t (a) VALUES (2)')
      expect(inserted).toContain('permission denied')
      await expect(subject.open(reader, PASSWORD, neighbour)).rejects.toThrow(/permission denied/)
      await expect(subject.open(reader, PASSWORD, 'postgres')).rejects.toThrow()
    })

    it('one with all acts as the database’s own user, who owns all that is made', async () => {
      const open = await subject.open(all, PASSWORD, shop)
      await open.run('CREATE TABLE his (a int)')
      expect(await open.run('SELECT current_user, session_user')).toEqual([
        { current_user: shop, session_user: all },
      ])
      // What it is beside that may do nothing.
      await open.run('RESET ROLE')
      await open.run('SET ROLE NONE')
      for (const statement of [
        'CREATE TABLE own (a int)',
        'SELECT * FROM t',
        'CREATE SCHEMA mine',
        `GRANT ${shop} TO ${reader}`,
      ])
        await expect(open.run(statement)).rejects.toThrow()
      await open.run(`SET ROLE ${shop}`)
      for (const statement of [
        `ALTER TABLE his OWNER TO ${all}`,
        `GRANT CONNECT ON DATABASE ${shop} TO PUBLIC`,
        'CREATE ROLE another',
        "COPY his TO PROGRAM 'id'",
      ])
        await open.run(statement).catch(() => undefined)
      await open.end()
      const [database] = await outcomes(subject, shop, shop, [
        `DO $$ BEGIN IF (SELECT count(*) FROM pg_tables WHERE tableowner <> '${shop}' AND schemaname = 'public') > 0
           OR has_database_privilege('public', '${shop}', 'CONNECT')
           OR EXISTS (SELECT FROM pg_roles WHERE rolname = 'another') THEN RAISE 'broken'; END IF; END $$`,
      ])
      expect(database).toBe('done')
    })

    it('who wrote reads alone at once, in what is open too', async () => {
      const { username, service } = subject
      const open = await subject.open(all, PASSWORD, shop)
      await open.run('INSERT INTO his VALUES (1)')
      await service.users.setGrants({
        ...{ operationId: 'users-less', username, engine: 'postgresql', user: all },
        grants: [{ database: shop, rights: 'read' }],
      })
      await expect(open.run('INSERT INTO his VALUES (2)')).rejects.toThrow()
      await open.end().catch(() => undefined)
      expect(await as(all, 'SELECT * FROM his', `SET ROLE ${shop}`)).toEqual([
        'done',
        expect.stringContaining('permission denied'),
      ])
    })

    it('what takes long is kept of them, without values, and of nobody else', async () => {
      const slow = createSlowQueries({ ...subject, engines: [subject.engine], overMs: 300 })
      const open = await subject.open(reader, PASSWORD, shop)
      const running = open.run("SELECT pg_sleep(1), 'a secret'")
      await expect
        .poll(
          async () => {
            await slow.sample()
            return slow.of(subject.username)
          },
          { timeout: 900, interval: 100 },
        )
        .toEqual([
          {
            ...{ engine: subject.engine.name, database: shop, user: reader },
            ...{ statement: 'SELECT pg_sleep(?), ?', count: 1 },
            longest_ms: expect.any(Number),
            total_ms: expect.any(Number),
            last_at: expect.stringMatching(/^\d{4}-/),
          },
        ])
      await running
      await open.end()
      await slow.sample()
      expect(slow.of(subject.username)).toHaveLength(1)
      expect(slow.of('somebody')).toEqual([])
    })

    it('has no more than is on record when a crash broke off a change of rights', async () => {
      const { before, after } = await rightsAfterCrash(subject, reader, shop, neighbour, [
        'CREATE TABLE crashed (a int)',
      ])
      expect(before).toEqual(['done'])
      expect(after).toEqual([expect.stringMatching(/denied/), 'kept out'])
      expect(await as(reader, 'SELECT * FROM t')).toEqual(['done'])
    })

    it('outlast that a dump is put in the place of the database, and a new name of its user', async () => {
      const { username, service } = subject
      const writer = await madeUser(subject, username, 'writer', shop, 'write')
      const maker = await madeUser(subject, username, 'maker', shop, 'all')
      await putBack(subject, shop, shop)
      const to = `${username}_renamed`
      await service.users.rename({
        ...{ operationId: 'users-rename', username, engine: 'postgresql', user: shop, to },
      })
      await as(to, 'CREATE TABLE later (a int)')
      const statements = [
        'SELECT * FROM later',
        'INSERT INTO later VALUES (1)',
        'CREATE TABLE x (a int)',
      ]
      const denied = expect.stringContaining('permission denied')
      expect(await as(reader, ...statements)).toEqual(['done', denied, denied])
      expect(await as(writer, ...statements)).toEqual(['done', 'done', denied])
      expect(await as(maker, ...statements)).toEqual(['done', 'done', 'done'])
      await service.users.remove({
        ...{ operationId: 'users-remove', username, engine: 'postgresql', user: maker },
      })
      expect(await as(to, 'SELECT * FROM x')).toEqual(['done'])
    })
  })
}
