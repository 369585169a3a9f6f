import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:https'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import Database from 'better-sqlite3'
import { z } from 'zod'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { parseLinkAddress } from '#handlers/domain/hosts/link-address.ts'
import { parsePanelToken, type PanelToken } from '#handlers/domain/hosts/panel-token.ts'
import { differingSettings, sharedSettings } from '#handlers/domain/recovery/shared-settings.ts'
import { withPanelStore } from '#handlers/domain/recovery/with-panel-store.ts'
import { panelBundleSchema } from '#handlers/domain/hosts/panel-bundle.ts'
import type { PanelBundle } from '#handlers/ports/handover.ts'
import { isRootConfig } from '../config/is-root-config.ts'
import { prepareDirectories, prepareRunDirectory } from '../layout/prepare-directories.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { openPanelIdentity } from '../link-trust/panel-identity.ts'
import { fingerprintOf } from '../link-trust/fingerprint-of.ts'
import { joinedFile } from '../layout/joined-file.ts'
import { ensureIdentities } from '../process/ensure-identities.ts'
import { productVersion } from '../process/product-version.ts'
import { takeLock } from '../process/take-lock.ts'
import { orderStore } from '../store/copy/order-store.ts'
import { panelFile, panelStorePlace } from '../store/open-panel-store.ts'

/** For people. */
export const NO_PANEL_TOKEN = 'This is not a token of "berth panel invite", or not the whole of it.'

const ANSWER_MS = 30_000
const MAX_BYTES = 256 * 1024

/** What `berth panel join` did. */
export interface JoinedPanels {
  /** URL of the store. */
  store: string
  /** This panel at links. */
  panel: string
  /** Keys of the configuration in which this machine differs from the one that it asked. */
  differs: string[]
}

const answerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), data: panelBundleSchema }),
  z.object({ ok: z.literal(false), error: z.string().max(2000) }),
])

/** Asks the panel that the token names; nothing is sent before it has shown its certificate. */
const ask = (token: PanelToken, body: string): Promise<PanelBundle> => {
  const at = parseLinkAddress(token.address)
  if (at === null) throw new Error('The address in the token is none. Make another token.')
  return new Promise((resolve, reject) => {
    const asking = request({
      ...{ host: at.host, port: at.port, method: 'POST', path: '/api/panels/join', agent: false },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      // Whom the token names is believed, and nobody else.
      ...{ rejectUnauthorized: false, signal: AbortSignal.timeout(ANSWER_MS) },
    })
    asking.on('error', reject)
    asking.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        const shown = (socket as TLSSocket).getPeerX509Certificate()?.toString()
        if (shown === undefined || fingerprintOf(shown) !== token.fingerprint)
          asking.destroy(
            new Error(
              `What answers at ${token.address} is not the panel that gave out the token. Give "berth panel invite" the address of that very panel, not of a balancer.`,
            ),
          )
        else asking.end(body)
      }),
    )
    asking.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.length > MAX_BYTES) answer.destroy(new Error('the answer is too large'))
      })
      answer.on('error', reject)
      answer.on('end', () => {
        try {
          const read = answerSchema.parse(JSON.parse(text))
          if (read.ok) resolve(read.data)
          else reject(new Error(read.error))
        } catch {
          reject(new Error(`What answers at ${token.address} does not speak as a panel does.`))
        }
      })
    })
  })
}

/** Throws where this machine has a panel of its own with accounts, which nobody could reach any more. */
const assertEmpty = (config: ServerConfig): void => {
  if (config.panel.store !== null)
    throw new Error(`[panel] store is set in ${config.file}: this panel shares records already.`)
  const file = panelFile(config)
  if (!existsSync(file)) return
  const db = new Database(file, { readonly: true })
  try {
    const accounts = db.prepare('select count(*) from accounts').pluck().get()
    if (accounts !== 0)
      throw new Error(
        `The panel of this machine has ${String(accounts)} accounts, which would be lost to it. Join from a machine without.`,
      )
  } finally {
    db.close()
  }
}

/**
 * Makes the panel of this machine one of those over one store, by a token of `berth panel invite`.
 * Berth must not run. Where it throws the configuration is as it was; a token that was used is void.
 */
export const joinPanels = async (config: ServerConfig, text: string): Promise<JoinedPanels> => {
  const token = parsePanelToken(text)
  if (token === null) throw new Error(NO_PANEL_TOKEN)
  assertEmpty(config)
  const who = await ensureIdentities()
  prepareRunDirectory(config, who)
  const release = takeLock(
    join(config.paths.run_dir, 'supervisor.pid'),
    (pid) => new Error(`Berth runs (process ${pid}). Stop it first: berth service stop`),
  )
  const undo: string[] = []
  try {
    prepareDirectories(config, who)
    const directory = dirname(panelFile(config))
    const { uid, gid } = statSync(directory)
    const own = { mode: 0o600, owner: { uid, gid } }
    const linkDirectory = join(directory, 'link')
    const { entry } = await openPanelIdentity(linkDirectory)
    for (const path of [linkDirectory, join(linkDirectory, 'link.json')]) chownSync(path, uid, gid)
    const version = productVersion()
    const asked = JSON.stringify({ secret: token.secret, version, link: entry })
    const bundle = await ask(token, asked)
    const secrets = config.paths.secrets_dir
    mkdirSync(secrets, { recursive: true, mode: 0o755 })
    const keep = (name: string, content: string | null): string | null => {
      if (content === null) return null
      const file = join(secrets, name)
      undo.push(file)
      writeWhole(file, content, own)
      return file
    }
    const keys = {
      store: bundle.store,
      store_password_file: keep('store-password', bundle.store_password),
      store_ca_file: keep('store-authority.pem', bundle.store_ca),
    }
    const written = withPanelStore(readFileSync(config.file, 'utf8'), keys)
    const { config: later, problems } = parseServerConfig({
      ...{ file: config.file, text: written, root: isRootConfig(config.file) },
    })
    const ours = problems.filter(({ key }) => key.startsWith('panel.store'))
    if (ours.length > 0) throw new Error(ours.map(describeProblem).join('\n'))
    const server = panelStorePlace(later)
    if (!('url' in server)) throw new Error('The panel that was asked has no store to share.')
    // Reached from here, as the panel's user, before anything is changed.
    const used = await orderStore({ action: 'is-used', directory, server })
    if (used.kind !== 'used' || !used.used)
      throw new Error('There are no records in the database that the panel named.')
    writeWhole(join(secrets, 'panel-jwt.key'), `${bundle.session_key}\n`, own)
    writeWhole(joinedFile(config.paths.state_dir), `${hostname()}\n`, own)
    const before = statSync(config.file)
    writeWhole(config.file, written, {
      ...{ mode: before.mode & 0o777, owner: { uid: before.uid, gid: before.gid } },
    })
    undo.length = 0
    return {
      ...{ store: bundle.store, panel: entry.id },
      differs: differingSettings(bundle.settings, sharedSettings(later)),
    }
  } finally {
    for (const file of undo) rmSync(file, { force: true })
    release()
  }
}
