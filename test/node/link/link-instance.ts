import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { linkDirectory } from '#adapters/node/layout/link-directory.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { writeOwnCertificate } from '#adapters/node/link-trust/own-certificate.ts'
import { trustFile, writeTrust } from '#adapters/node/link-trust/trust-file.ts'
import { createLinkFetch } from '#adapters/node/panel/hosts/link-fetch.ts'
import type { LinkFetch } from '#adapters/node/panel/hosts/link-fetch.ts'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { createSignedSend } from '#adapters/shared/host-rpc/link/signed-send.ts'
import type { TrustedPanel, TrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { toBase64Url } from '#handlers/domain/text/base64-url.ts'
import type { Ambient } from '#handlers/ports/judge.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { COMPILED_SOURCES } from '../compiled-sources.ts'
import { createAgentInstance } from '../agent/agent-process.ts'

const ENTRY = resolve(import.meta.dirname, '../../../adapters/node/bin/link.ts')

/** A panel with its key and certificate. */
export interface TestPanel {
  entry: TrustedPanel
  tls: LinkCertificate
  key: CryptoKey
}

export const createTestPanel = async (id: string): Promise<TestPanel> => {
  const keys = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey))
  const tls = await createLinkCertificate(id, 'client')
  return {
    entry: { id, certificate: tls.certificate, key: toBase64Url(raw) },
    tls,
    key: keys.privateKey,
  }
}

/** A real agent and a real link of a machine `host-1`, and panels that know it. */
export const createLinkInstance = async () => {
  const [port = 0] = await freePorts(1)
  const agent = await createAgentInstance()
  appendFileSync(agent.at('berth.toml'), `[link]\nlisten = "127.0.0.1:${port}"\n`)
  const directory = linkDirectory({ state_dir: agent.at('state') })
  const own = await createLinkCertificate('host-1', 'server')
  writeOwnCertificate(directory, own, null)
  const socket = join(agent.at('run'), 'agent-link.sock')
  const children = new Set<ChildProcess>()
  const fetches = new Set<LinkFetch>()
  let version = 0

  const listOf = (panels: TestPanel[]): TrustList => ({
    ...{ v: 1, host: 'host-1', role: 'host', version: (version += 1) },
    panels: panels.map(({ entry }) => entry),
  })
  /** `tunnelFd`: a unix socket for tunnels. */
  const startLink = async (
    tunnelFd: number | null = null,
  ): Promise<{ child: ChildProcess; log(): string }> => {
    const args = ['--state-dir', agent.at('state'), '--run-dir', agent.at('run')]
    if (tunnelFd !== null) args.push('--tunnel-fd', '4')
    const child = spawn(process.execPath, [ENTRY, ...args, '--listen', `127.0.0.1:${port}`], {
      cwd: '/',
      env: { ...CLEAN_ENV, NODE_COMPILE_CACHE: COMPILED_SOURCES },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', ...(tunnelFd === null ? [] : [tunnelFd])],
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await Promise.race([once(child, 'message'), once(child, 'exit')])
    return { child, log: () => text }
  }
  /** What a panel speaks to the link with; each part may be another's. */
  const fetchAs = (panel: TestPanel, certificate = own.certificate): LinkFetch => {
    const made = createLinkFetch({
      ...{ id: 'host-1', address: '127.0.0.1', port, certificate, own: panel.tls },
    })
    fetches.add(made)
    return made
  }
  return {
    ...{ agent, directory, own, port, listOf, startLink, fetchAs },
    trust: (panels: TestPanel[], forgotten: string[] = []) =>
      writeTrust(directory, { list: listOf(panels), forgotten }, null),
    clientOf(panel: TestPanel, turns?: Ambient<Turn | null>) {
      const { send } = fetchAs(panel)
      return createHostClient(
        createSignedSend({ host: 'host-1', panel: panel.entry.id, key: panel.key, send }),
        turns,
      )
    },
    socket,
    hasSocket: () => existsSync(socket),
    breakTrust: () => writeFileSync(trustFile(directory), '{"v":1,"list":"{}","forgotten":[]}'),
    dispose: async () => {
      for (const made of fetches) made.close()
      for (const child of children) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await agent.dispose()
    },
  }
}
export type LinkInstance = Awaited<ReturnType<typeof createLinkInstance>>
