import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'

export const RELAY_USER = 'relayuser'
export const RELAY_SECRET = 'a Secret of the-relay 42'

const configOf = (directory: string, ports: readonly number[]): string => `
primary_hostname = relay.example
spool_directory = ${directory}/spool
log_file_path = ${directory}/log/%slog
pid_file_path = ${directory}/exim.pid
daemon_smtp_ports = ${ports.join(' : ')}
tls_on_connect_ports = ${ports[1]}
local_interfaces = 127.0.0.1
tls_advertise_hosts = *
tls_certificate = ${directory}/relay.pem
tls_privatekey = ${directory}/relay.key
host_lookup =
keep_environment =
message_size_limit = 1M
acl_smtp_rcpt = check_rcpt
acl_smtp_data = accept
begin acl
check_rcpt:
  deny    condition = \${if !eq{$authenticated_id}{${RELAY_USER}}}
          message = 530 Authentication required
  deny    local_parts = nobody
          message = no such user here
  defer   local_parts = later
          condition = \${if !exists{${directory}/accept-later}}
          message = come back later
  accept
begin routers
all:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  directory = ${directory}/box
  maildir_format
  return_path_add
  envelope_to_add
  user = Debian-exim
begin retry
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${RELAY_USER}}}{eq{$auth3}{${RELAY_SECRET}}}}}
  server_set_id = $auth2
  server_advertise_condition = \${if def:tls_in_cipher}
`

/**
 * A relay as providers have them: TLS and a login, `nobody@` is refused for good, `later@` for
 * now. Everything else lands in one mailbox.
 */
export const startExim = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-exim-'))
  await chmod(directory, 0o755)
  const at = (name: string): string => join(directory, name)
  for (const name of ['spool', 'log', 'box']) {
    await mkdir(at(name), { mode: 0o750 })
    await mustRun('/usr/bin/chown', ['Debian-exim:Debian-exim', at(name)])
  }
  const authority = makeCertificate({ names: ['Mail authority'], authority: true })
  const { certificate, key } = makeCertificate({
    ...{ names: ['localhost'], addresses: ['127.0.0.1'] },
    issuer: authority,
  })
  await writeFile(at('authority.pem'), authority.certificate)
  await writeFile(at('relay.pem'), certificate)
  await writeFile(at('relay.key'), key, { mode: 0o640 })
  await mustRun('/usr/bin/chown', ['root:Debian-exim', at('relay.key')])
  const ports = await freePorts(2)
  await writeFile(at('exim.conf'), configOf(directory, ports))
  const child = spawn('/usr/sbin/exim4', ['-C', at('exim.conf'), '-bdf'], { stdio: 'ignore' })
  await untilListening(ports[0] ?? 0, 20_000)

  const messages = async (): Promise<string[]> => {
    const names = await readdir(at('box/new')).catch(() => [])
    return Promise.all(names.map((name) => readFile(at(`box/new/${name}`), 'utf8')))
  }
  return {
    directory,
    authorityFile: at('authority.pem'),
    /** STARTTLS, and TLS from the first byte. */
    startTlsPort: ports[0] ?? 0,
    tlsPort: ports[1] ?? 0,
    messages,
    /** Waits for the message that has this in it. */
    async message(text: string): Promise<string> {
      for (let tries = 0; tries < 500; tries += 1) {
        const found = (await messages()).find((one) => one.includes(text))
        if (found !== undefined) return found
        await delay(20)
      }
      throw new Error(
        `no message with ${text}; the relay's log:\n${await readFile(at('log/mainlog'), 'utf8').catch(() => '')}`,
      )
    },
    /** A file with the password as Berth wants it: of this user alone. */
    async secretFile(user: string): Promise<string> {
      await writeFile(at('relay.password'), `${RELAY_SECRET}\n`, { mode: 0o600 })
      await mustRun('/usr/bin/chown', [user, at('relay.password')])
      return at('relay.password')
    },
    acceptLater: () => writeFile(at('accept-later'), ''),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
export type Exim = Awaited<ReturnType<typeof startExim>>
