import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import type { LocalCall, LocalSpec } from '../panel/frame/command-types.ts'
import { readSecret, readText, secretOptions } from './read-secret.ts'
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
export const exportPanel: LocalSpec = {
  summary: 'write everything that the panel is to one encrypted file',
  note: 'Without an option it is closed for the recovery kit (berth panel recovery-kit). Records, settings, secrets, certificates, ACME accounts, hooks and password hashes are in it; homes and databases are in the backups of the accounts.',
  args: [['<file>', 'a new file']],
  options: [
    ['--passphrase', 'close it with a passphrase instead of the recovery kit'],
    ['--passphrase-file <file>', 'the same, from the first line of a file'],
    ['--recipient <key>', 'close it for another age public key (age1...)'],
  ],
  examples: [
    'berth panel export /root/panel.age',
    'berth panel export /root/panel.age --passphrase',
    'berth panel export /root/panel.age --passphrase-file /root/passphrase',
    'berth panel export /root/panel.age --recipient age1qqs...',
  ],
  async act({ configFile, args: [file = ''], options, print }) {
    const secret = await readSecret(secretOptions(options), { fresh: true })
    const recipient = options.text('recipient') ?? null
    if (secret !== null && recipient !== null)
      throw new CliError('Give either a passphrase or --recipient.', 2)
    const order = { action: 'export', file: resolve(file), secret, recipient } as const
    const report = exported.parse(await runRecovery(configFile, order))
    print(report, () => {
      console.log(
        `${report.file}: ${report.accounts} accounts, ${report.files} files, ${report.size_bytes} bytes, read back. Keep it elsewhere, with the backups of the accounts; their contents are not in it.`,
      )
      if (report.kit_verified === false)
        console.error(
          'Nobody has proved yet that the recovery kit, which alone opens it, is kept: berth panel recovery-kit --verify FILE',
        )
      for (const line of report.left_out) console.error(`left out: ${line}`)
    })
  },
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

const makeKit = async ({ configFile, args: [file = ''], options, print }: LocalCall) => {
  const order = { action: 'kit', renew: options.isOn('new') } as const
  const { kit } = made.parse(await runRecovery(configFile, order))
  try {
    if (file !== '') writeKit(file, kit)
  } catch (error) {
    // Its keys are in force already and are kept nowhere else.
    process.stdout.write(kit)
    throw new CliError(
      `${file} could not be written (${error instanceof Error ? error.message : ''}); the kit stands above.`,
    )
  }
  print(file === '' ? { kit } : { file }, () => {
    if (file === '') process.stdout.write(kit)
    else
      console.log(
        `The recovery kit is in ${file}. Print it or keep it elsewhere, remove it from this host, then prove that what you kept is right: berth panel recovery-kit --verify FILE`,
      )
  })
}

const verifyKit = async (file: string, { configFile, print }: LocalCall): Promise<void> => {
  const text = await readText(file)
  const answer = verified.parse(await runRecovery(configFile, { action: 'verify-kit', text }))
  print(answer, () => {
    console.log(`This kit (made ${answer.made_at} UTC) opens what this panel exports.`)
    if (answer.lacks_archive_key)
      console.error(
        'It lacks a key of the backups of accounts, which was made later. Make a new kit: berth panel recovery-kit --new',
      )
    for (const name of answer.missing_targets)
      console.error(
        `It does not tell how the backup target "${name}" is reached now. Note that down beside it.`,
      )
  })
}

/** `berth panel recovery-kit`. */
export const recoveryKit: LocalSpec = {
  summary: 'make the keys that exports open with, to be printed and kept elsewhere',
  args: [['[file]', 'where to write it; default: standard output']],
  options: [
    ['--verify <file>', 'try a kit that was kept elsewhere; - reads standard input'],
    ['--new', 'make another one although there is one; it opens later exports alone'],
  ],
  examples: [
    'berth panel recovery-kit',
    'berth panel recovery-kit /root/kit.txt',
    'berth panel recovery-kit --new /root/kit.txt',
    'berth panel recovery-kit --verify kit.txt',
  ],
  act(call) {
    const { args, options } = call
    const verify = options.text('verify')
    if (verify === undefined) return makeKit(call)
    if ((args[0] ?? '') !== '' || options.isOn('new'))
      throw new CliError('--verify takes nothing beside it.', 2)
    return verifyKit(verify, call)
  },
}
