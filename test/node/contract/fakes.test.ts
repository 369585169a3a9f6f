import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { dnsAccessPortContract } from '#test/contract/certificates/dns-access-port.ts'
import { certificatesPortContract } from '#test/contract/certificates/certificates-port.ts'
import { backupsPortContract } from '#test/contract/backups/backups-port.ts'
import { NO_TARGET, targetsPortContract } from '#test/contract/backups/targets-port.ts'
import { FAKE_HOST_KEY, UNREACHABLE } from '#test/fakes/backups/fake-targets.ts'
import { snapshotsPortContract } from '#test/contract/backups/snapshots-port.ts'
import { databaseCopiesContract } from '#test/contract/databases/database-copies-port.ts'
import { databaseRemotePortContract } from '#test/contract/databases/database-remote-port.ts'
import { databaseUsersPortContract } from '#test/contract/databases/database-users-port.ts'
import { databasesPortContract } from '#test/contract/databases/databases-port.ts'
import { filesPortContract } from '#test/contract/files/files-port.ts'
import { inspectionPortContract } from '#test/contract/host/inspection-port.ts'
import { machinePortContract } from '#test/contract/host/machine-port.ts'
import { logsPortContract } from '#test/contract/logs/logs-port.ts'
import { pageCachePortContract } from '#test/contract/cache/page-cache-port.ts'
import { applicationsPortContract } from '#test/contract/applications/applications-port.ts'
import { cronPortContract } from '#test/contract/cron/cron-port.ts'
import { sftpPortContract } from '#test/contract/sftp/sftp-port.ts'
import { phpPortContract } from '#test/contract/php/php-port.ts'
import { systemPortContract } from '#test/contract/host/system-port.ts'
import { usersPortContract } from '#test/contract/accounts/users-port.ts'
import { webServerPortContract } from '#test/contract/domains/web-server-port.ts'
import type { FakeHost } from '#test/fakes/fake-host.ts'
import { REFUSED_SECRET } from '#test/fakes/certificates/fake-dns-access.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

const dispose = async () => undefined

/** A fake host behind the wire between panel and agent, whose shapes every argument and answer must fit. */
const createHost = (): FakeHost => {
  const host = createFakeHost()
  return { ...host, ports: createHostClient(createHostHandler(host.ports, createRecordingLog())) }
}

const makeAccount = async (host: FakeHost, username: string): Promise<string> => {
  await host.ports.users.create({
    operationId: `make-${username}`,
    username,
    password: 'long enough',
    primaryDomain: `${username}.example`,
    diskQuotaMb: 500,
  })
  return username
}

usersPortContract('fake', async () => {
  const host = createHost()
  let serial = 0
  return {
    users: host.ports.users,
    files: host.ports.files,
    newName: () => `btfake${(serial += 1)}`,
    dispose,
  }
})

filesPortContract('fake', async () => {
  const host = createHost()
  return { files: host.ports.files, username: await makeAccount(host, 'btfake1'), dispose }
})

for (const engine of ['mariadb', 'postgresql'] as const)
  databasesPortContract(`fake ${engine}`, async () => {
    const host = createHost()
    host.databases.installed = [{ engine, version: '15.18', running: true, host: 'localhost' }]
    return {
      databases: host.ports.databases,
      engine,
      host: 'localhost',
      emptySizeBytes: 0,
      username: await makeAccount(host, 'btfake1'),
      otherUsername: await makeAccount(host, 'btfake2'),
      dispose,
    }
  })

for (const engine of ['mariadb', 'postgresql'] as const)
  databaseUsersPortContract(`fake ${engine}`, async () => {
    const host = createHost()
    host.databases.installed = [{ engine, version: '15.18', running: true, host: 'localhost' }]
    const { databases, databaseUsers: users } = host.ports
    const username = await makeAccount(host, 'btfake1')
    return { databases, users, engine, username, otherUsername: await makeAccount(host, 'btfake2') }
  })

for (const engine of ['mariadb', 'postgresql'] as const)
  databaseRemotePortContract(`fake ${engine}`, async () => {
    const host = createHost()
    host.databases.installed = [{ engine, version: '15.18', running: true, host: 'localhost' }]
    host.databaseRemote.told.engines = [{ engine, port: 5432, problem: null }]
    const { databases, databaseUsers: users, databaseRemote: remote } = host.ports
    const username = await makeAccount(host, 'btfake1')
    const otherUsername = await makeAccount(host, 'btfake2')
    return { databases, users, remote, engine, username, otherUsername }
  })

backupsPortContract('fake', async () => {
  const host = createHost()
  const username = await makeAccount(host, 'btfake1')
  const otherUsername = await makeAccount(host, 'btfake2')
  const database = `${username}_shop`
  await host.ports.databases.create({
    operationId: 'make-database',
    username,
    engine: 'mariadb',
    database,
    user: database,
    password: 'long enough',
  })
  return { backups: host.ports.backups, username, otherUsername, database, dispose }
})

databaseCopiesContract('fake', async () => {
  const host = createHost()
  const username = await makeAccount(host, 'btfake1')
  const otherUsername = await makeAccount(host, 'btfake2')
  const database = `${username}_shop`
  await host.ports.databases.create({
    operationId: 'make-database',
    username,
    engine: 'mariadb',
    database,
    user: database,
    password: 'long enough',
  })
  return {
    copies: host.ports.databaseCopies,
    username,
    otherUsername,
    engine: 'mariadb',
    database,
    put: async (path, content) =>
      void (await host.ports.files.write({ username, path, content, encoding: 'utf8' })),
    dispose,
  }
})

targetsPortContract('fake', async () => {
  const host = createHost()
  const near = { ...NO_TARGET, name: 'near', endpoint: 'https://s3.example', bucket: 'backups' }
  host.backups.configured = [{ ...near, name: 'fixed', source: 'configuration' }]
  const box = { ...NO_TARGET, name: 'box', type: 'sftp' as const, endpoint: 'box.example' }
  return {
    targets: host.ports.targets,
    list: () => host.ports.backups.targets(),
    good: {
      s3: [near, { kind: 'secret_key', value: 'a secret' }],
      sftp: [
        { ...box, host_key: FAKE_HOST_KEY },
        { kind: 'password', value: 'another' },
      ],
    },
    deadEndpoint: `${UNREACHABLE}example`,
    configured: 'fixed',
    dispose,
  }
})

snapshotsPortContract('fake', async () => {
  const host = createHost()
  const username = await makeAccount(host, 'btfake1')
  const database = `${username}_shop`
  await host.ports.databases.create({
    operationId: 'make-database',
    username,
    engine: 'mariadb',
    database,
    user: database,
    password: 'long enough',
  })
  return { snapshots: host.ports.snapshots, username, database, location: 'local', dispose }
})

applicationsPortContract('fake', async () => {
  const host = createHost()
  const username = await makeAccount(host, 'btfake1')
  const change = (operationId: string) => ({ operationId, username })
  return {
    applications: host.ports.applications,
    username,
    answers: async (name) => host.applications.answers(username, name),
    suspend: () => host.ports.users.suspend(change('applications-suspend')),
    unsuspend: () => host.ports.users.unsuspend(change('applications-unsuspend')),
    dispose,
  }
})

cronPortContract('fake', async () => {
  const host = createHost()
  const username = await makeAccount(host, 'btfake1')
  return {
    cron: host.ports.cron,
    username,
    suspend: () => host.ports.users.suspend({ operationId: 'cron-suspend', username }),
    program: (output, code) => ({ kind: 'command', argv: ['write', output, String(code)] }),
    lasting: { kind: 'command', argv: ['last'] },
    dispose,
  }
})

sftpPortContract('fake', async () => {
  const host = createHost()
  return { sftp: host.ports.sftp, username: await makeAccount(host, 'btfake1'), dispose }
})

phpPortContract('fake', async () => {
  const host = createHost()
  return {
    php: host.ports.php,
    username: await makeAccount(host, 'btfake1'),
    recorded: async (username) => {
      const { version, mode } = host.php.configured.get(username) ?? { version: null, mode: 'fpm' }
      return { version, mode }
    },
    dispose,
  }
})

certificatesPortContract('fake', async () => {
  const host = createHost()
  const username = await makeAccount(host, 'btfake1')
  const domain = 'btfake1.example'
  const [alias, lostAlias] = ['www.btfake1.example', 'unreachable.example']
  await host.ports.webServer.apply({
    put: [
      siteSpec(domain, username, {
        aliases: [alias, lostAlias],
        cache: { enable: false, ttl: null, exclude: [] },
      }),
    ],
    remove: [],
  })
  return {
    certificates: host.ports.certificates,
    username,
    otherUsername: await makeAccount(host, 'btfake2'),
    domain,
    alias,
    lostAlias,
    versions: async () => [...(host.certificates.stored.get(domain) ?? [])].sort(),
    dispose,
  }
})

dnsAccessPortContract('fake', async () => {
  const host = createHost()
  return {
    dnsAccess: host.ports.dnsAccess,
    username: await makeAccount(host, 'btfake1'),
    otherUsername: await makeAccount(host, 'btfake2'),
    access: {
      ...{ kind: 'rfc2136', server: 'ns.btfake1.example', zone: 'btfake1.example' },
      ...{ key_name: 'key', secret: 'c2VjcmV0IG9mIHRoZSBrZXk=' },
    },
    silent: { server: 'down.example:53' },
    wrong: REFUSED_SECRET,
    dispose,
  }
})

webServerPortContract('fake', async () => {
  const host = createHost()
  const named = async (username: string) => ({
    username: await makeAccount(host, username),
    home: `/home/${username}`,
  })
  return {
    webServer: host.ports.webServer,
    account: await named('btfake1'),
    other: await named('btfake2'),
    configured: async () => [...host.webServer.hosts.keys()].sort(),
    dispose,
  }
})

machinePortContract('fake', async () => ({ machine: createHost().ports.machine, dispose }))

systemPortContract('fake', async () => createHost().ports.system)

logsPortContract('fake', async () => {
  const { logs } = createHost()
  return {
    logs,
    append: async (file, line) => logs.append(file, line),
    rotate: async (file) => logs.rotate(file),
    dispose,
  }
})

inspectionPortContract('fake', async () => {
  const host = createHost()
  const username = await makeAccount(host, 'btfake1')
  const home = `/home/${username}`
  return {
    ports: host.ports,
    account: { username, home },
    breakHome: async () => {
      host.inspection.drift.homes.set(username, {
        path: home,
        problem: 'has mode 0777 instead of 0710',
        repairable: true,
      })
    },
    dispose,
  }
})

pageCachePortContract('fake', async () => {
  const host = createHost()
  const specOf = async (username: string, aliases: string[]) => {
    await makeAccount(host, username)
    await host.ports.webServer.apply({
      put: [siteSpec(`${username}.example`, username, { aliases })],
      remove: [],
    })
  }
  await specOf('btfake1', ['www.btfake1.example'])
  await specOf('btfake2', [])
  const siteOf = (name: string): string => name.replace(/^www\./, '')
  const find = (name: string, path: string) =>
    host.pageCache.pages.find((page) => page.domain === siteOf(name) && page.path === path)
  return {
    pageCache: host.ports.pageCache,
    site: 'btfake1.example',
    other: 'btfake2.example',
    alias: 'www.btfake1.example',
    visit: async (name, path) => {
      const tags = ['shared', path.replaceAll('/', '')]
      if (find(name, path) === undefined)
        host.pageCache.pages.push({ domain: siteOf(name), path, tags })
    },
    setCookies: async (name, cookies) => {
      host.pageCache.known.set(siteOf(name), {
        application: null,
        learned_cookies: cookies.map((one) => ({ name: one, learned_at: '' })),
        learned_full: false,
        varies: null,
      })
    },
    isStored: async (name, path) => find(name, path) !== undefined,
    dispose,
  }
})
