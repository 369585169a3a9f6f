import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { withExamples } from '../examples.ts'
import { readGlobalOptions } from '../options.ts'
import { readSecret, readText, type SecretOptions } from './read-secret.ts'
import { runRecovery } from './run-recovery.ts'

const exported = z.object({
  file: z.string(),
  size_bytes: z.number(),
  accounts: z.number(),
  files: z.number(),
  left_out: z.array(z.string()),
  kit_verified: z.boolean().nullable(),
})

/** `berth panel export`. */
export const addExportCommand = (panel: Command): void => {
  withExamples(
    panel
      .command('export')
      .description('write everything that the panel is to one encrypted file')
      .argument('<file>', 'a new file')
      .option('--passphrase', 'close it with a passphrase instead of the recovery kit')
      .option('--passphrase-file <file>', 'the same, from the first line of a file')
      .option('--recipient <key>', 'close it for another age public key (age1...)')
      .action(
        async (file: string, options: SecretOptions & { recipient?: string }, command: Command) => {
          const { configFile, json } = readGlobalOptions(command)
          const asked = await readSecret(options, { fresh: true })
          const recipient = options.recipient ?? null
          if (asked !== null && recipient !== null)
            throw new CliError('Give either a passphrase or --recipient.', 2)
          const answer = await runRecovery(configFile, {
            action: 'export',
            file: resolve(file),
            secret: asked,
            recipient,
          })
          const report = exported.parse(answer)
          if (json) return console.log(JSON.stringify(report, null, 2))
          console.log(
            `${report.file}: ${report.accounts} accounts, ${report.files} files, ${report.size_bytes} bytes, read back. Keep it elsewhere, with the backups of the accounts; their contents are not in it.`,
          )
          if (report.kit_verified === false)
            console.error(
              'Nobody has proved yet that the recovery kit, which alone opens it, is kept: berth panel recovery-kit --verify FILE',
            )
          for (const line of report.left_out) console.error(`left out: ${line}`)
        },
      ),
    [
      'berth panel export /root/panel.age',
      'berth panel export /root/panel.age --passphrase',
      'berth panel export /root/panel.age --passphrase-file /root/passphrase',
      'berth panel export /root/panel.age --recipient age1qqs...',
    ],
    'Without an option it is closed for the recovery kit (berth panel recovery-kit). Records, settings, secrets, certificates, ACME accounts, hooks and password hashes are in it; homes and databases are in the backups of the accounts.',
  )
}

const made = z.object({ kit: z.string() })
const verified = z.object({
  made_at: z.string(),
  missing_targets: z.array(z.string()),
  lacks_archive_key: z.boolean(),
})

/** Writes the kit for root alone; what is there already is never replaced. */
const writeKit = (file: string, text: string): void => {
  const fd = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const makeKit = async (
  file: string | undefined,
  renew: boolean,
  command: Command,
): Promise<void> => {
  const { configFile, json } = readGlobalOptions(command)
  const { kit } = made.parse(await runRecovery(configFile, { action: 'kit', renew }))
  try {
    if (file !== undefined) writeKit(file, kit)
  } catch (error) {
    // Its keys are in force already and are kept nowhere else.
    process.stdout.write(kit)
    throw new CliError(
      `${file} could not be written (${error instanceof Error ? error.message : ''}); the kit stands above.`,
    )
  }
  if (json) console.log(JSON.stringify(file === undefined ? { kit } : { file }, null, 2))
  else if (file === undefined) process.stdout.write(kit)
  else
    console.log(
      `The recovery kit is in ${file}. Print it or keep it elsewhere, remove it from this host, then prove that what you kept is right: berth panel recovery-kit --verify FILE`,
    )
}

const verifyKit = async (file: string, command: Command): Promise<void> => {
  const { configFile, json } = readGlobalOptions(command)
  const text = await readText(file)
  const answer = verified.parse(await runRecovery(configFile, { action: 'verify-kit', text }))
  if (json) return console.log(JSON.stringify(answer, null, 2))
  console.log(`This kit (made ${answer.made_at} UTC) opens what this panel exports.`)
  if (answer.lacks_archive_key)
    console.error(
      'It lacks the key of the archives of accounts, which was made later. Make a new kit: berth panel recovery-kit --new',
    )
  for (const name of answer.missing_targets)
    console.error(
      `It does not tell how the backup target "${name}" is reached now. Note that down beside it.`,
    )
}

/** `berth panel recovery-kit`. */
export const addKitCommand = (panel: Command): void => {
  withExamples(
    panel
      .command('recovery-kit')
      .description('make the keys that exports open with, to be printed and kept elsewhere')
      .argument('[file]', 'where to write it; default: standard output')
      .option('--verify <file>', 'try a kit that was kept elsewhere; - reads standard input')
      .option('--new', 'make another one although there is one; it opens later exports alone')
      .action(
        (
          file: string | undefined,
          options: { verify?: string; new?: boolean },
          command: Command,
        ) => {
          if (options.verify === undefined) return makeKit(file, options.new === true, command)
          if (file !== undefined || options.new === true)
            throw new CliError('--verify takes nothing beside it.', 2)
          return verifyKit(options.verify, command)
        },
      ),
    [
      'berth panel recovery-kit',
      'berth panel recovery-kit /root/kit.txt',
      'berth panel recovery-kit --new /root/kit.txt',
      'berth panel recovery-kit --verify kit.txt',
    ],
  )
}
