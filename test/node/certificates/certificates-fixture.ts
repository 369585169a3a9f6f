import type { LookupFunction } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { PeerCertificate } from 'node:tls'
import { join } from 'node:path'
import { createCertificateFiles } from '#adapters/node/agent/certificates/certificate-files.ts'
import { createOrderFiles } from '#adapters/node/agent/certificates/waiting/order-files.ts'
import { composeDns } from '#adapters/node/agent/certificates/dns/compose-dns.ts'
import { createCertificatesPort } from '#adapters/node/agent/certificates/certificates-port.ts'
import type { CertificatesPortDeps } from '#adapters/node/agent/certificates/certificates-port.ts'
import { createPanelTls } from '#adapters/node/agent/certificates/panel-tls.ts'
import { panelTlsFile } from '#adapters/node/layout/panel-tls-file.ts'
import { createRemoveHosting } from '#adapters/node/agent/remove-hosting.ts'
import { connectWebControl } from '#adapters/node/agent/domains/web-control.ts'
import { createWebServerPort } from '#adapters/node/agent/domains/web-server-port.ts'
import { communityLicense } from '#handlers/services/host/community-license.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { createAgentFixture, newName } from '#test/node/agent/agent-fixture.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'
import { startWeb } from '#test/node/web-server/support/web-process.ts'
import { startBind9 } from '#test/support/authority/bind9.ts'
import { startPebble } from '#test/support/authority/pebble.ts'

const noLog = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** The zone of a real DNS server. */
export const ZONE = 'berth.example'

/** An account that the API made, with its primary domain. */
export interface SiteOwner {
  id: number
  username: string
  home: string
  domain: string
}

/** Names that have another address than ours, for Pebble and for our own check. */
type Addresses = Map<string, string>

const lookupIn =
  (addresses: Addresses): LookupFunction =>
  (name, options, callback) => {
    const address = addresses.get(name) ?? '127.0.0.1'
    if (options.all === true) callback(null, [{ address, family: 4 }])
    else callback(null, address, 4)
  }

/**
 * The API over real users, file helpers, web server and certificates; the
 * authority is a Pebble. Names are at 127.0.0.1 unless `moveAway` says otherwise.
 */
export const createCertificatesFixture = async (
  options: {
    validitySecs?: number
    panel?: Partial<CertificatesPortDeps['panel']>
    /** Further records of a real DNS server for `ZONE`, which the authority then asks; sites lie in it. */
    zone?: readonly string[]
    /** Further zones of that server, with records of theirs. */
    zones?: Readonly<Record<string, readonly string[]>>
    /** The panel's own name, whose certificate then goes to `panelFile`. */
    panelName?: string
    /** As of `startPebble`. */
    customers?: Readonly<Record<string, string>>
  } = {},
) => {
  const undo: (() => Promise<unknown>)[] = []
  const dispose = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }
  try {
    const web = await startWeb({ workers: 2 })
    undo.push(() => web.remove())
    const bind =
      options.zone &&
      (await startBind9([ZONE, ...Object.keys(options.zones ?? {})], {
        ...options.zones,
        [ZONE]: options.zone,
      }))
    undo.push(async () => bind?.stop())
    const pebble = await startPebble({
      httpPort: web.port,
      ...(options.customers ? { customers: options.customers } : {}),
      ...(bind ? { dnsServer: bind.address } : {}),
      ...(options.validitySecs === undefined ? {} : { validitySecs: options.validitySecs }),
    })
    undo.push(() => pebble.stop())
    const agent = await createAgentFixture()
    undo.push(() => agent.dispose())
    const addresses: Addresses = new Map()
    const sslDirectory = join(agent.directory, 'certs')
    const accountDir = join(agent.directory, 'agent', 'acme')
    const ordersDirectory = join(agent.directory, 'agent', 'orders')
    const socketPath = join(web.directory, 'run/web.sock')
    const webServer = await createWebServerPort({
      registry: agent.registry,
      vhostsDir: join(web.directory, 'state/vhosts.d'),
      socketPath,
      sslDirectory,
      web: null,
      version: '1.0.0',
      ensureDirectory: agent.ensureDirectory,
      log: noLog,
    })
    const dnsDirectory = join(agent.directory, 'agent', 'dns')
    const startDns = () =>
      composeDns({
        ...{ registry: agent.registry, lock: agent.lock, log: noLog },
        ...{ asRoot: true, directory: dnsDirectory, mayBeLocal: true },
        ...(bind
          ? { options: { resolvers: [bind.address], port: bind.port, limitMs: 5000, pauseMs: 50 } }
          : {}),
      })
    const dns = startDns()
    const secrets = { secrets_dir: join(agent.directory, 'secrets') }
    const panelTls =
      options.panelName === undefined
        ? null
        : createPanelTls(
            { panel: { tls: options.panelName, tls_certificate: null }, paths: secrets },
            null,
          )
    const certificatesWith = (panel: Partial<CertificatesPortDeps['panel']> = {}) =>
      createCertificatesPort({
        registry: agent.registry,
        lock: agent.lock,
        files: createCertificateFiles(sslDirectory, null),
        control: connectWebControl(socketPath),
        homes: agent.files,
        ensureDirectory: agent.ensureDirectory,
        panel: {
          acme_email: 'admin@example.com',
          acme_directory: pebble.directory,
          acme_ca_file: pebble.caFile,
          ...{ acme_eab_key_id: null, acme_eab_key_file: null },
          ...{ acme_fallback_directory: null, acme_fallback_eab_key_id: null },
          acme_fallback_eab_key_file: null,
          ...panel,
        },
        panelTls,
        dns,
        accountDir,
        orders: createOrderFiles(ordersDirectory),
        reach: { port: web.port, lookup: lookupIn(addresses), limitMs: 5000 },
        log: noLog,
      })
    const certificates = certificatesWith(options.panel)
    const fake = createFakeHost()
    agent.hosting.remove = createRemoveHosting({
      ...{
        registry: agent.registry,
        applications: { removeAccount: async () => undefined },
        databases: fake.ports.databases,
        webServer,
        certificates,
        dns,
      },
      forgetExports: async () => undefined,
    })
    const api = await makeNodeApi({
      host: {
        ...fake.ports,
        users: agent.users,
        files: agent.files,
        webServer,
        certificates,
        dnsAccess: dns.port,
        php: { ...fake.ports.php, versions: async () => [] },
      },
      config: { homeBase: agent.homeBase },
      license: {
        current: async () => ({
          ...(await communityLicense.current()),
          accounts_limit: -1,
          domains_limit: -1,
        }),
      },
    })
    undo.push(() => api.close())
    const admin: ApiClient = await adminClient(api)

    return {
      web,
      pebble,
      bind: bind ?? null,
      dns,
      /** As after a crash: what the first one is at work with, this one does not know. */
      startDns,
      dnsDirectory,
      agent,
      api,
      admin,
      certificates,
      certificatesWith,
      sslDirectory,
      accountDir,
      ordersDirectory,
      panelFile: panelTlsFile(secrets),
      /** Lets a name lead to where nobody answers, or back here. */
      async moveAway(name: string, address = '127.0.0.9') {
        addresses.set(name, address)
        await pebble.setAddress(name, address)
      },
      async account(): Promise<SiteOwner> {
        const username = newName()
        const domain = `${username}.${bind ? ZONE : 'example'}`
        for (const name of [domain, `www.${domain}`]) await bind?.addAddress(name)
        const answer = await admin.post('/api/accounts', {
          username,
          domain,
          email: `${username}@mail.example`,
          password: 'account password',
          plan: 'free',
        })
        if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
        const { id, home } = answer.body.data as { id: number; home: string }
        return { id, username, home, domain }
      },
      /** The certificate that the web server shows for a name, verified by Pebble's root. */
      async shown(name: string): Promise<PeerCertificate & { trusted: boolean }> {
        const ca = await pebble.issuedRoot()
        return new Promise((resolve, reject) => {
          const socket = connectTls({
            host: '127.0.0.1',
            port: web.sslPort,
            servername: name,
            ca,
            rejectUnauthorized: false,
          })
          socket.on('error', reject)
          socket.on('secureConnect', () => {
            resolve(Object.assign(socket.getPeerCertificate(), { trusted: socket.authorized }))
            socket.destroy()
          })
        })
      },
      dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}
export type CertificatesFixture = Awaited<ReturnType<typeof createCertificatesFixture>>
