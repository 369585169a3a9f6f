import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { conflict, invalid } from '#handlers/errors.ts'
import type { CertificateFiles, CertificatesPort } from '#handlers/ports/host/certificates.ts'
import type { AccountSecrets } from '#handlers/ports/host/accounts/moves.ts'
import { shadowEntry } from '../accounts/os-names.ts'
import { checkApplication } from '../applications/check-application.ts'
import type { SystemPasswords } from '../backups/records/system-passwords.ts'
import type { Engine } from '../databases/engine.ts'
import { knownAccount } from '../registry/known-account.ts'
import type { ApplicationStart, Registry } from '../registry/types.ts'
import { aliasesOf } from '../sftp/users/alias-users.ts'

/** What secrets of accounts are read from, and written to. */
export interface SecretsDeps {
  registry: Registry
  engines: readonly Engine[]
  passwords: SystemPasswords
  certificates: Pick<CertificatesPort, 'install'>
  asRoot: boolean
}

const engineNamed = (engines: readonly Engine[], name: string): Engine => {
  const engine = engines.find((one) => one.name === name)
  if (engine !== undefined) return engine
  throw conflict(`There is no ${name} server on this host.`)
}

/** Reads what this host alone knows of an account. */
export const readSecrets = async (
  { registry, engines, passwords, asRoot }: SecretsDeps,
  username: string,
): Promise<AccountSecrets> => {
  const account = knownAccount(registry, username)
  const databaseUsers: AccountSecrets['databaseUsers'] = []
  for (const { engine: name, user } of [
    ...registry.databasesOf(username),
    ...registry.databaseUsersOf(username),
  ]) {
    const engine = engineNamed(engines, name)
    await engine.whenReady()
    const hash = await engine.passwordHash(user)
    if (hash !== null) databaseUsers.push({ engine: name, user, hash })
  }
  const certificates: AccountSecrets['certificates'] = []
  for (const { domain, ssl } of registry.vhostsOf(username)) {
    if (ssl === null) continue
    const [certificate, key] = await Promise.all([
      readFile(ssl.certificate, 'utf8'),
      readFile(ssl.key, 'utf8'),
    ])
    const version = path.basename(path.dirname(ssl.certificate))
    certificates.push({ domain, version, certificate, key })
  }
  const folderUsers: AccountSecrets['folderUsers'] = []
  for (const name of asRoot ? await aliasesOf(account) : []) {
    const hash = await passwords.read({ username: name })
    if (hash !== null) folderUsers.push({ name, hash })
  }
  return {
    passwordHash: await passwords.read(account),
    ...{ folderUsers, databaseUsers, certificates },
    applications: registry.applicationsOf(username),
  }
}

/** Gives an account what another host knew of it; names and owners are judged by what is here. */
export const takeSecrets = async (
  { registry, engines, passwords, certificates, asRoot }: SecretsDeps,
  username: string,
  secrets: AccountSecrets,
): Promise<{ domain: string; files: CertificateFiles }[]> => {
  const account = knownAccount(registry, username)
  for (const { engine: name, user, hash } of secrets.databaseUsers) {
    const own =
      registry.databasesOf(username).some((row) => row.engine === name && row.user === user) ||
      registry.databaseUser(name, user)?.username === username
    if (!own) throw conflict(`Account ${username} has no database user ${user} on this host.`)
    await engineNamed(engines, name).setPasswordHash(user, hash)
  }
  if (secrets.passwordHash !== null) await passwords.set(account, secrets.passwordHash)
  const aliases = asRoot ? await aliasesOf(account) : []
  for (const { name, hash } of secrets.folderUsers)
    // Whom the panel does not know any more is nobody here.
    if (aliases.includes(name) && (await shadowEntry(name)) !== null)
      await passwords.set({ username: name }, hash)
  const installed: { domain: string; files: CertificateFiles }[] = []
  for (const { domain, version, certificate, key } of secrets.certificates) {
    const given = { operationId: version, username, domain, certificate, key }
    installed.push({ domain, files: (await certificates.install(given)).files })
  }
  const judged = ({ spec, secrets: values }: ApplicationStart): ApplicationStart => {
    if (spec.username !== username)
      throw invalid('applications', 'An application is of another account.')
    return { spec: checkApplication(spec, values), secrets: { ...values } }
  }
  for (const { spec, secrets: values, live, wanted } of secrets.applications) {
    const [now, before] = [judged({ spec, secrets: values }), live === null ? null : judged(live)]
    registry.putApplication(now)
    if (before !== null) registry.takeApplication(before)
    registry.wantApplication(username, spec.name, wanted)
  }
  return installed
}
