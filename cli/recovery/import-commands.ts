import { resolve } from 'node:path'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import type { LocalSpec } from '../panel/frame/command-types.ts'
import { serviceCommand } from '../service/service-parts.ts'
import { compareNames, showNames } from './compare-names.ts'
import { readSecret, secretOptions } from './read-secret.ts'
import { RecoveryRefusal, runRecovery } from './run-recovery.ts'

const imported = z.object({
  host: z.string(),
  made_at: z.string(),
  accounts: z.array(z.string()),
  domains: z.array(z.string()),
  skipped: z.array(z.string()),
  kept_in: z.string(),
})

/** `berth panel import`. */
export const importPanel: LocalSpec = serviceCommand({
  summary: 'bring the panel back from an export, on a host without accounts',
  note: 'It stops Berth, checks everything before it changes anything (what it refuses leaves Berth running as before), and goes on where it broke off when it is run again with the same file.',
  args: [['<file>', 'the export']],
  options: [
    ['--kit <file>', 'the recovery kit that opens it; - reads standard input'],
    ['--passphrase', 'it was closed with a passphrase (the default)'],
    ['--passphrase-file <file>', 'the passphrase is the first line of a file'],
  ],
  examples: [
    'berth panel import /root/panel.age --kit kit.txt',
    'berth panel import /root/panel.age --passphrase',
    'berth panel import /root/panel.age --passphrase-file /root/passphrase',
  ],
  async act({ manager, configFile, args: [file = ''], options, print }) {
    const secret =
      (await readSecret(secretOptions(options), { fresh: false })) ??
      (await readSecret({ passphrase: true }, { fresh: false }))
    const ran = await manager.stop()
    const request = { action: 'import', file: resolve(file), secret }
    const told = await runRecovery(configFile, request).catch(async (error: unknown) => {
      // Perhaps on the wrong machine: its sites go on.
      if (!ran || !(error instanceof RecoveryRefusal)) throw error
      await manager.start()
      throw new CliError(`${error.message}\nBerth was stopped for it, and runs again as before.`)
    })
    const answer = imported.parse(told)
    const names = await compareNames(answer.domains)
    print({ ...answer, stopped: ran, names }, () => {
      console.log(
        `The panel of ${answer.host}, as of ${answer.made_at} UTC, is on this host: ${answer.accounts.length} accounts, ${answer.domains.length} sites. Their homes and databases are empty until their backups are restored. What was here before is in ${answer.kept_in}.`,
      )
      for (const line of answer.skipped) console.error(`not taken: ${line}`)
      showNames(names)
      console.log(
        'Held until you say that this host is the live one (berth panel live): renewals of certificates, scheduled backups and their removal, cron tables, hooks and webhooks. Hooks and virtual hosts by hand are off until you confirm them (berth panel confirm).\nNext: berth service start, then berth backups restore-all',
      )
    })
  },
})

const unconfirmed = z.object({
  hooks: z.array(z.string()),
  hosts: z.array(z.object({ file: z.string(), count: z.number() })),
})

/** `berth panel confirm`. */
export const confirm: LocalSpec = {
  summary: 'switch on what an import brought switched off; without a word, list it',
  args: [['[what]', 'hooks or hosts']],
  examples: ['berth panel confirm', 'berth panel confirm hooks', 'berth panel confirm hosts'],
  async act({ configFile, args: [what = ''], print }) {
    if (what !== '' && what !== 'hooks' && what !== 'hosts')
      throw new CliError(`"${what}" is nothing to confirm. Write hooks or hosts.`, 2)
    const action = { action: 'confirm', what: what === '' ? 'nothing' : what } as const
    const answer = unconfirmed.parse(await runRecovery(configFile, action))
    print(answer, () => {
      for (const file of answer.hooks) console.log(`hook   ${file}`)
      for (const { file, count } of answer.hosts)
        console.log(`hosts  ${file}: ${count} virtual hosts by hand`)
      if (answer.hooks.length + answer.hosts.length === 0) console.log('Nothing waits for that.')
      else if (what === '')
        console.log('Look at them, then: berth panel confirm hooks, berth panel confirm hosts')
      else console.log(what === 'hosts' ? 'On. Next: berth service reload' : 'On.')
    })
  },
}

const said = z.object({
  was_held: z.boolean(),
  cron: z.array(z.string()),
  left: z.array(z.string()),
  domains: z.array(z.string()),
})

/** `berth panel live`. */
export const live: LocalSpec = {
  summary: 'say that this host is the live one: what an import holds goes on',
  note: 'Say it when the old host is off or will not come back: two that renew, prune and run jobs disturb each other.',
  examples: ['berth panel live'],
  async act({ configFile, print }) {
    const answer = said.parse(await runRecovery(configFile, { action: 'live' }))
    const names = await compareNames(answer.domains)
    print({ ...answer, names }, () => {
      console.log(
        answer.was_held
          ? 'This host is the live one: certificates are renewed, backups made and removed as scheduled.'
          : 'This host was the live one already.',
      )
      if (answer.cron.length > 0) console.log(`Cron tables in place: ${answer.cron.join(', ')}`)
      for (const line of answer.left) console.error(`not put in place: ${line}`)
      showNames(names)
    })
  },
}
