import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { exportOf } from '#handlers/domain/databases/export-name.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { notFound } from '#handlers/errors.ts'
import type { DatabaseExport } from '#handlers/ports/host/database-copies.ts'
import { readPiece } from './read-piece.ts'
import type { RegisteredAccount, Registry } from '../../registry/types.ts'
import { knownAccount } from '../../registry/known-account.ts'

/** Of one account, beside that there is one of each database. */
const MOST = 5

/** Exports that can be downloaded: a directory for each account, told from a later namesake by the uid. */
export const createKeptExports = (deps: {
  registry: Pick<Registry, 'account' | 'accounts'>
  /** Ours alone. */
  directory: string
  nowMs: () => number
}) => {
  const { registry, directory, nowMs } = deps
  const nameOf = ({ username, uid }: RegisteredAccount): string => `${username}.${uid}`
  const known = (username: string): RegisteredAccount => {
    return knownAccount(registry, username)
  }
  const dirOf = (account: RegisteredAccount): string => path.join(directory, nameOf(account))

  const list = async (account: RegisteredAccount): Promise<DatabaseExport[]> => {
    const found: DatabaseExport[] = []
    for (const name of await readdir(dirOf(account)).catch(() => [])) {
      const facts = exportOf(name)
      const { size } = await stat(path.join(dirOf(account), name)).catch(() => ({ size: -1 }))
      if (facts !== null && size >= 0) found.push({ ...facts, sizeBytes: size })
    }
    return found.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  }
  const current = async (account: RegisteredAccount): Promise<DatabaseExport[]> => {
    const now = timestamp(nowMs())
    return (await list(account)).filter(({ until }) => until > now)
  }
  const drop = (account: RegisteredAccount, { filename }: DatabaseExport): Promise<void> =>
    rm(path.join(dirOf(account), filename), { force: true })

  return {
    list: (username: string): Promise<DatabaseExport[]> => current(known(username)),

    /** Puts a finished file among them; an older one of the database goes, and the oldest beyond the bound. */
    async take(username: string, file: string, filename: string): Promise<DatabaseExport> {
      const account = known(username)
      await mkdir(dirOf(account), { recursive: true, mode: 0o700 })
      await rename(file, path.join(dirOf(account), filename))
      const all = await list(account)
      const taken = all.find((one) => one.filename === filename)
      if (taken === undefined) throw new Error('an export was lost while it was put away')
      const others = all.filter((one) => one.filename !== filename)
      const same = others.filter(
        ({ engine, database }) => engine === taken.engine && database === taken.database,
      )
      const rest = others.filter((one) => !same.includes(one))
      for (const one of [...same, ...rest.slice(MOST - 1)]) await drop(account, one)
      return taken
    },

    async read(username: string, filename: string, offset: number): Promise<string> {
      const account = known(username)
      const one = (await current(account)).find((each) => each.filename === filename)
      if (one === undefined)
        throw notFound(`There is no export ${filename}. It is kept for a day; make a new one.`)
      return readPiece(path.join(dirOf(account), filename), offset)
    },

    async remove(username: string, filename: string): Promise<void> {
      const account = known(username)
      const one = (await list(account)).find((each) => each.filename === filename)
      if (one !== undefined) await drop(account, one)
    },

    /** All of an account that goes. */
    async forget(username: string): Promise<void> {
      for (const name of await readdir(directory).catch(() => []))
        if (name.slice(0, name.lastIndexOf('.')) === username)
          await rm(path.join(directory, name), { recursive: true, force: true })
    },

    /** Removes what was kept long enough, and what is left of accounts that are gone. */
    async sweep(): Promise<void> {
      const accounts = new Map(registry.accounts().map((one) => [nameOf(one), one]))
      const now = timestamp(nowMs())
      for (const name of await readdir(directory).catch(() => [])) {
        const account = accounts.get(name)
        if (account === undefined)
          await rm(path.join(directory, name), { recursive: true, force: true })
        else for (const one of await list(account)) if (one.until <= now) await drop(account, one)
      }
    },
  }
}

export type KeptExports = ReturnType<typeof createKeptExports>
