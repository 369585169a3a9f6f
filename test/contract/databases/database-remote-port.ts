import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DatabaseRemotePort } from '#handlers/ports/host/databases/database-remote.ts'
import type { DatabaseUsersPort } from '#handlers/ports/host/databases/database-users.ts'
import type { DatabasesPort } from '#handlers/ports/host/databases.ts'
import type { OpenDatabase } from './database-users-port.ts'

/** Ports with two accounts they know and one running engine that is reached from elsewhere (or what stands for it). */
export interface DatabaseRemoteSubject {
  databases: DatabasesPort
  users: DatabaseUsersPort
  remote: DatabaseRemotePort
  engine: 'mariadb' | 'postgresql'
  username: string
  otherUsername: string
  /** Over TLS from an address of the loopback interface. Absent where nothing can log in. */
  open?(from: string, user: string, password: string, database: string): Promise<OpenDatabase>
}

const PASSWORD = 'correct horse 9 battery'
const OTHER = 'another horse 9 battery'
/** Where the tenant is, his colleague within the block, and somebody else. */
const HOME = '127.0.1.7'
const OFFICE = '127.0.2.0/24'
const COLLEAGUE = '127.0.2.200'
const STRANGER = '127.0.3.1'

/** What every implementation of `DatabaseRemotePort` keeps to. */
export const databaseRemotePortContract = (
  label: string,
  create: () => Promise<DatabaseRemoteSubject>,
): void => {
  describe(`DatabaseRemotePort: ${label}`, () => {
    let subject: DatabaseRemoteSubject
    let database = ''
    let reader = ''

    const letIn = (addresses: string[], username = subject.username) =>
      subject.remote.setAddresses({ operationId: randomUUID(), username, addresses })
    const made = async (username: string) => {
      const name = `${username}_shop`
      await subject.databases.create({
        ...{ operationId: randomUUID(), username, engine: subject.engine },
        ...{ database: name, user: name, password: PASSWORD },
      })
      return name
    }
    /** Who gets in from where; what cannot log in at all is as it is expected. */
    const expectIn = async (
      wanted: boolean,
      from: string,
      user = database,
      password = PASSWORD,
      name = database,
    ): Promise<void> => {
      if (subject.open === undefined) return
      const open = await subject.open(from, user, password, name).catch((error: unknown) => error)
      const isIn = typeof open === 'object' && open !== null && 'run' in open
      if (isIn) await (open as OpenDatabase).end()
      expect([from, user, isIn]).toEqual([from, user, wanted])
    }
    /** An open connection, and whether it still answers. */
    const opened = async (from: string, user = database) => {
      const open = await subject.open?.(from, user, PASSWORD, database)
      return {
        answers: async (): Promise<boolean | null> =>
          open === undefined
            ? null
            : open.run('SELECT 1').then(
                () => true,
                () => false,
              ),
        end: () => open?.end().catch(() => undefined),
      }
    }

    beforeAll(async () => {
      subject = await create()
      database = await made(subject.username)
      await made(subject.otherUsername)
      reader = `${subject.username}_reader`
      await subject.users.create({
        ...{ operationId: randomUUID(), username: subject.username, engine: subject.engine },
        ...{ user: reader, password: PASSWORD, grants: [{ database, rights: 'read' }] },
      })
    })

    it('tells how each engine is reached', async () => {
      const { engines, certificate } = await subject.remote.state()
      expect(engines.find((one) => one.engine === subject.engine)).toEqual({
        ...{ engine: subject.engine, problem: null },
        port: expect.any(Number),
      })
      expect(certificate?.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
      expect(certificate?.pem).toMatch(/^-----BEGIN CERTIFICATE-----\n/)
      expect(certificate?.pem).not.toContain('PRIVATE')
    })

    it('lets in from the addresses that are allowed, and from no other', async () => {
      await expectIn(false, HOME)
      await letIn([HOME, OFFICE])
      for (const from of [HOME, COLLEAGUE]) {
        await expectIn(true, from)
        await expectIn(true, from, reader)
        await expectIn(false, from, database, 'wrong horse 9 battery')
      }
      await expectIn(false, STRANGER)
    })

    it('opens nothing of other accounts', async () => {
      const other = `${subject.otherUsername}_shop`
      await expectIn(false, HOME, database, PASSWORD, other)
      await expectIn(false, HOME, other, PASSWORD, other)
    })

    it('takes addresses away, and what is open from there with them', async () => {
      const [home, office] = [await opened(HOME), await opened(COLLEAGUE)]
      expect(await office.answers()).not.toBe(false)
      await letIn([HOME])
      expect([await home.answers(), await office.answers()]).toEqual(
        subject.open === undefined ? [null, null] : [true, false],
      )
      await expectIn(false, COLLEAGUE)
      await Promise.all([home.end(), office.end()])
    })

    it('follows new passwords, names and users', async () => {
      const { databases, users, engine, username } = subject
      const who = { username, engine }
      await users.setPassword({
        ...{ ...who, operationId: randomUUID(), user: reader, password: OTHER },
      })
      await expectIn(false, HOME, reader)
      await expectIn(true, HOME, reader, OTHER)
      const to = `${username}_seller`
      await users.rename({ ...who, operationId: randomUUID(), user: reader, to })
      await expectIn(false, HOME, reader, OTHER)
      await expectIn(true, HOME, to, OTHER)
      await databases.setPassword({
        ...{ ...who, operationId: randomUUID(), database, user: database, password: OTHER },
      })
      await expectIn(false, HOME)
      await expectIn(true, HOME, database, OTHER)
      await users.create({
        ...{ ...who, operationId: randomUUID(), user: reader, password: PASSWORD },
        grants: [{ database, rights: 'write' }],
      })
      await expectIn(true, HOME, reader)
      await users.remove({ ...who, operationId: randomUUID(), user: to })
      await expectIn(false, HOME, to, OTHER)
    })

    it('ends with a suspension and comes back after it', async () => {
      const { databases, username } = subject
      const lock = (locked: boolean) =>
        databases.setLocked({ operationId: randomUUID(), username, locked })
      const open = await opened(HOME, reader)
      await lock(true)
      expect(await open.answers()).not.toBe(true)
      await open.end()
      await expectIn(false, HOME, reader)
      await expectIn(false, HOME, database, OTHER)
      // What is allowed meanwhile counts afterwards.
      await letIn([HOME, STRANGER])
      await expectIn(false, STRANGER, reader)
      await lock(false)
      await expectIn(true, HOME, reader)
      await expectIn(true, STRANGER, reader)
    })

    it('refuses what is no address in its one spelling, and accounts that are not there', async () => {
      for (const address of [
        '0.0.0.0/0',
        '::/0',
        '10.0.0.0/8',
        '127.0.1.7/32',
        '127.0.2.1/24',
        '::ffff:127.0.1.7',
        "127.0.1.7' OR ''='",
        '127.0.1.7 trust',
        '127.0.1.7\nhost all all all trust',
        '%',
        'localhost',
        '',
      ])
        await expect(letIn([address]), address).rejects.toMatchObject({ status: 400 })
      await expect(letIn([HOME], 'nobody9')).rejects.toMatchObject({ status: 404 })
      await expectIn(true, HOME, reader)
    })

    it('is of its account alone, and repeats without another effect', async () => {
      const operationId = randomUUID()
      const set = () =>
        subject.remote.setAddresses({ operationId, username: subject.username, addresses: [HOME] })
      await set()
      await letIn([], subject.otherUsername)
      await set()
      await expectIn(true, HOME, reader)
      await expectIn(false, STRANGER, reader)
    })

    it('goes with the database', async () => {
      const { databases, engine, username } = subject
      const open = await opened(HOME, reader)
      await databases.remove({
        ...{ operationId: randomUUID(), username, engine, database, user: database },
      })
      expect(await open.answers()).not.toBe(true)
      await open.end()
      await expectIn(false, HOME, reader)
      await expectIn(false, HOME, database, OTHER)
    })
  })
}
