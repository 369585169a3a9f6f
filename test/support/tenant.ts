import { join } from 'node:path'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand, type CommandResult } from '#adapters/node/process/run-command.ts'
import { randomUsername, type PanelClient } from './panel-client.ts'

type Facts = 'id' | 'username' | 'domain' | 'password' | 'uid' | 'home'

/** A hosting account of a test, with the means its owner has. */
export class Tenant {
  readonly id: number
  readonly username: string
  readonly domain: string
  readonly password: string
  readonly uid: number
  readonly home: string

  private constructor(fields: {
    id: number
    username: string
    domain: string
    password: string
    uid: number
    home: string
  }) {
    this.id = fields.id
    this.username = fields.username
    this.domain = fields.domain
    this.password = fields.password
    this.uid = fields.uid
    this.home = fields.home
  }

  /** Creates an account through the API. */
  static async create(panel: PanelClient, plan = 'free'): Promise<Tenant> {
    const username = randomUsername()
    const domain = `${username}.example.com`
    const password = `Pw-${username}-8x`
    const account = await panel.data<{ id: number }>('POST', '/api/accounts', {
      username,
      domain,
      email: `${username}@example.com`,
      password,
      plan,
    })
    const entry = (await runCommand('getent', ['passwd', '--', username])).stdout.trim().split(':')
    return new Tenant({
      id: account.id,
      username,
      domain,
      password,
      uid: Number(entry[2]),
      home: entry[5] ?? '',
    })
  }

  /** One that was created before, by what is known of it. */
  static known(fields: Pick<Tenant, Facts>): Tenant {
    return new Tenant(fields)
  }

  /** Path inside the home. */
  path(...parts: string[]): string {
    return join(this.home, ...parts)
  }

  /** Runs a program as the account's user, as its shell or cron would. */
  run(program: string, args: string[], input?: string): Promise<CommandResult> {
    const argv = asUser({ uid: this.uid, gid: this.uid, groups: 'none' }, program, args)
    return runCommand(argv.program, argv.args, input === undefined ? {} : { input })
  }

  /** Writes a file as the account's user. */
  async put(path: string, content: string): Promise<void> {
    const result = await this.run('tee', ['--', this.path(path)], content)
    if (result.code !== 0) throw new Error(`writing ${path}: ${result.stderr}`)
  }
}
