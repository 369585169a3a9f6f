import { resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { withExamples } from '../examples.ts'
import { readGlobalOptions } from '../options.ts'
import { withService } from '../service/service-parts.ts'
import { compareNames, type NameFinding } from './compare-names.ts'
import { readSecret, type SecretOptions } from './read-secret.ts'
import { runRecovery } from './run-recovery.ts'

const imported = z.object({
  host: z.string(),
  made_at: z.string(),
  accounts: z.array(z.string()),
  domains: z.array(z.string()),
  skipped: z.array(z.string()),
  kept_in: z.string(),
})

const shown = ({ domain, leads_to, here }: NameFinding): string =>
  here
    ? `  ${domain}: leads here`
    : `  ${domain}: ${leads_to.length === 0 ? 'leads nowhere' : `leads to ${leads_to.join(', ')}`}`

/** `berth panel import`. */
export const addImportCommand = (panel: Command): void => {
  withExamples(
    panel
      .command('import')
      .description('bring the panel back from an export, on a host without accounts')
      .argument('<file>', 'the export')
      .option('--kit <file>', 'the recovery kit that opens it; - reads standard input')
      .option('--passphrase', 'it was closed with a passphrase (the default)')
      .option('--passphrase-file <file>', 'the passphrase is the first line of a file')
      .action((file: string, options: SecretOptions, command: Command) =>
        withService(command, async ({ manager }) => {
          const { configFile, json } = readGlobalOptions(command)
          const secret =
            (await readSecret(options, { fresh: false })) ??
            (await readSecret({ passphrase: true }, { fresh: false }))
          const ran = await manager.stop()
          const answer = imported.parse(
            await runRecovery(configFile, { action: 'import', file: resolve(file), secret }),
          )
          if (json) return console.log(JSON.stringify({ ...answer, stopped: ran }, null, 2))
          console.log(
            `The panel of ${answer.host}, as of ${answer.made_at} UTC, is on this host: ${answer.accounts.length} accounts, ${answer.domains.length} sites. Their homes and databases are empty until their backups are restored. What was here before is in ${answer.kept_in}.`,
          )
          for (const line of answer.skipped) console.error(`not taken: ${line}`)
          console.log(
            'Held until you say that this host is the live one (berth panel live): renewals of certificates, scheduled backups and their removal, cron tables. Hooks and virtual hosts by hand are off until you confirm them (berth panel confirm).\nNext: berth service start',
          )
        }),
      ),
    [
      'berth panel import /root/panel.age --kit kit.txt',
      'berth panel import /root/panel.age --passphrase',
      'berth panel import /root/panel.age --passphrase-file /root/passphrase',
    ],
    'It stops Berth, checks everything before it changes anything, and goes on where it broke off when it is run again with the same file.',
  )
}

const unconfirmed = z.object({
  hooks: z.array(z.string()),
  hosts: z.array(z.object({ file: z.string(), count: z.number() })),
})

/** `berth panel confirm`. */
export const addConfirmCommand = (panel: Command): void => {
  withExamples(
    panel
      .command('confirm')
      .description('switch on what an import brought switched off; without a word, list it')
      .argument('[what]', 'hooks or hosts')
      .action(async (what: string | undefined, _options: object, command: Command) => {
        if (what !== undefined && what !== 'hooks' && what !== 'hosts')
          throw new CliError(`"${what}" is nothing to confirm. Write hooks or hosts.`, 2)
        const { configFile, json } = readGlobalOptions(command)
        const answer = unconfirmed.parse(
          await runRecovery(configFile, { action: 'confirm', what: what ?? 'nothing' }),
        )
        if (json) return console.log(JSON.stringify(answer, null, 2))
        for (const file of answer.hooks) console.log(`hook   ${file}`)
        for (const { file, count } of answer.hosts)
          console.log(`hosts  ${file}: ${count} virtual hosts by hand`)
        if (answer.hooks.length + answer.hosts.length === 0) console.log('Nothing waits for that.')
        else if (what === undefined)
          console.log('Look at them, then: berth panel confirm hooks, berth panel confirm hosts')
        else console.log(what === 'hosts' ? 'On. Next: berth service reload' : 'On.')
      }),
    ['berth panel confirm', 'berth panel confirm hooks', 'berth panel confirm hosts'],
  )
}

const live = z.object({
  was_held: z.boolean(),
  cron: z.array(z.string()),
  left: z.array(z.string()),
  domains: z.array(z.string()),
})

/** `berth panel live`. */
export const addLiveCommand = (panel: Command): void => {
  withExamples(
    panel
      .command('live')
      .description('say that this host is the live one: what an import holds goes on')
      .action(async (_options: object, command: Command) => {
        const { configFile, json } = readGlobalOptions(command)
        const answer = live.parse(await runRecovery(configFile, { action: 'live' }))
        const names = await compareNames(answer.domains)
        if (json) return console.log(JSON.stringify({ ...answer, names }, null, 2))
        console.log(
          answer.was_held
            ? 'This host is the live one: certificates are renewed, backups made and removed as scheduled.'
            : 'This host was the live one already.',
        )
        if (answer.cron.length > 0) console.log(`Cron tables in place: ${answer.cron.join(', ')}`)
        for (const line of answer.left) console.error(`not put in place: ${line}`)
        const elsewhere = names.filter(({ here }) => !here)
        if (elsewhere.length > 0)
          console.log(
            `Change these DNS records (A, AAAA) to this host's addresses:\n${elsewhere.map(shown).join('\n')}`,
          )
      }),
    ['berth panel live'],
    'Say it when the old host is off or will not come back: two that renew, prune and run jobs disturb each other.',
  )
}
