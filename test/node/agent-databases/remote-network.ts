import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { runCommand } from '#adapters/node/process/run-command.ts'

/** Another machine, as far as the network goes: what it is called, and what our end is. */
export interface OtherMachine {
  /** Ours, as it sees us. */
  server: { four: string; six: string }
  /** Runs a program there, which comes from this address of it; its output, whatever comes of it. */
  run(from: string, program: string, args: string[], env?: Record<string, string>): Promise<string>
  close(): void
}

const IP = '/sbin/ip'

/** A network namespace with these addresses, joined to ours. Needs root. */
export const openOtherMachine = (
  addresses: readonly string[],
  server: OtherMachine['server'],
): OtherMachine => {
  const name = `bt-${randomBytes(4).toString('hex')}`
  const [near, far] = [`${name}a`, `${name}b`]
  const run = (...args: string[]) => execFileSync(IP, args, { stdio: 'pipe' })
  run('netns', 'add', name)
  try {
    run('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name)
    for (const [address, bits] of [
      [server.four, 24],
      [server.six, 48],
    ] as const)
      run('address', 'add', `${address}/${bits}`, 'dev', near, ...(bits === 48 ? ['nodad'] : []))
    run('link', 'set', near, 'up')
    for (const address of addresses)
      if (address.includes(':'))
        run('-n', name, 'address', 'add', `${address}/48`, 'dev', far, 'nodad')
      else run('-n', name, 'address', 'add', `${address}/24`, 'dev', far)
    run('-n', name, 'link', 'set', far, 'up')
  } catch (error) {
    run('netns', 'delete', name)
    throw error
  }
  return {
    server,
    async run(from, program, args, env = {}) {
      const to = from.includes(':') ? server.six : server.four
      run('-n', name, 'route', 'replace', to, 'dev', far, 'src', from)
      const given = Object.entries(env).map(([key, value]) => `${key}=${value}`)
      const { stdout, stderr } = await runCommand('/usr/bin/nsenter', [
        `--net=/run/netns/${name}`,
        ...['--', '/usr/bin/env', '-i', 'PATH=/usr/bin:/bin', 'HOME=/nonexistent', ...given],
        ...[program, ...args],
      ])
      return stdout + stderr
    },
    close: () => {
      // The end that is there goes with it.
      run('netns', 'delete', name)
    },
  }
}
