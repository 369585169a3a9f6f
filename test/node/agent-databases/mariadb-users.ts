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

/** What further users of MariaDB try, against a real server. */
export const mariadbUsersAttacks = (make: () => UsersSubject): void => {
  describe('further users of MariaDB', () => {
    let subject: UsersSubject
    let shop = ''
    let neighbour = ''
    let reader = ''
    const as = (user: string, ...statements: string[]) => outcomes(subject, user, shop, statements)

    beforeAll(async () => {
      subject = make()
      const { username } = subject
      shop = (await madeDatabase(subject, username, 'a_b')).database
      // Only a wildcard in place of the underscore would reach it.
      neighbour = (await madeDatabase(subject, username, 'axb')).database
      await as(
        shop,
        'CREATE TABLE t (a int)',
        'INSERT INTO t VALUES (1)',
        'CREATE PROCEDURE wipe() DELETE FROM t',
        'CREATE FUNCTION one() RETURNS int RETURN 1',
      )
      reader = await madeUser(subject, username, 'reader', shop, 'read')
    })

    it('a reader changes nothing, whatever it calls, and leaves the database by no way', async () => {
      const statements = [
        `SELECT * FROM ${neighbour}.t`,
        `USE ${neighbour}`,
        'CALL wipe()',
        'CREATE FUNCTION f() RETURNS int RETURN 1',
        'CREATE DEFINER = root@localhost PROCEDURE p() DELETE FROM t',
        'CREATE SQL SECURITY DEFINER VIEW v AS SELECT * FROM t',
        'CREATE TEMPORARY TABLE x (a int)',
        'CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t',
        'CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1',
        'LOCK TABLES t WRITE',
        'TRUNCATE t',
        "SELECT 1 INTO OUTFILE '/tmp/berth-attack'",
        "SELECT LOAD_FILE('/etc/passwd') INTO @x; SELECT 1",
        'SELECT * FROM mysql.global_priv',
        `GRANT INSERT ON ${shop}.* TO CURRENT_USER`,
        `GRANT ALL ON *.* TO ${reader}@localhost`,
        'SET ROLE ALL; SET GLOBAL general_log = 1',
        'SET GLOBAL general_log = 1',
        'FLUSH PRIVILEGES',
      ]
      const found = await as(reader, ...statements)
      expect(found.filter((message) => message === 'done')).toEqual([])
      expect(await as(reader, 'SELECT * FROM t')).toEqual(['done'])
    })

    it('those who write make no tables, those with all no makers’ objects', async () => {
      const { username } = subject
      const writer = await madeUser(subject, username, 'writer', shop, 'write')
      const all = await madeUser(subject, username, 'all', shop, 'all')
      const made = [
        'CREATE OR REPLACE VIEW v AS SELECT * FROM t',
        'CREATE PROCEDURE mine() DELETE FROM t',
        'CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t',
        'CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1',
        'DROP PROCEDURE wipe',
      ]
      for (const user of [writer, all])
        expect((await as(user, ...made)).filter((message) => message === 'done')).toEqual([])
      expect(await as(writer, 'INSERT INTO t VALUES (2)', 'CREATE TABLE u (a int)')).toEqual([
        'done',
        expect.stringContaining('denied'),
      ])
      expect(
        await as(all, 'CREATE TABLE u (a int)', 'CREATE TEMPORARY TABLE x (a int)', 'DROP TABLE u'),
      ).toEqual(['done', 'done', 'done'])
    })

    it('less rights count at once in what is open', async () => {
      const { username, service } = subject
      const user = `${username}_all`
      const open = await subject.open(user, PASSWORD, shop)
      await open.run('INSERT INTO t VALUES (3)')
      await service.users.setGrants({
        ...{ operationId: 'users-less', username, engine: 'mariadb', user },
        grants: [{ database: shop, rights: 'read' }],
      })
      await expect(open.run('INSERT INTO t VALUES (3)')).rejects.toThrow()
      await open.end().catch(() => undefined)
    })

    it('what takes long is kept of them, without values, and of nobody else', async () => {
      const slow = createSlowQueries({ ...subject, engines: [subject.engine], overMs: 300 })
      const open = await subject.open(reader, PASSWORD, shop)
      const running = open.run("SELECT SLEEP(1), 'a secret'")
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
            ...{ statement: 'SELECT SLEEP(?), ?', count: 1 },
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

    it('outlast that a dump is put in the place of the database', async () => {
      await putBack(subject, shop, shop)
      expect(await as(reader, 'SELECT * FROM t', 'INSERT INTO t VALUES (9)')).toEqual([
        'done',
        expect.stringContaining('denied'),
      ])
    })

    it('a maker keeps his name, and says why', async () => {
      const { username, service } = subject
      await expect(
        service.users.rename({
          ...{ operationId: 'users-maker', username, engine: 'mariadb', user: shop },
          to: `${username}_other`,
        }),
      ).rejects.toMatchObject({
        status: 409,
        message: expect.stringMatching(/procedure wipe.*keep the name/),
      })
      expect(await as(shop, 'CALL wipe()')).toEqual(['done'])
    })
  })
}
