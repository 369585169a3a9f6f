import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { newLicenseKeys, readLicense, signLicense } from '#handlers/domain/license/license-file.ts'
import type { LicenseTerms } from '#handlers/domain/license/license-file.ts'
import { TIER_LIMITS } from '#handlers/domain/license/license-limits.ts'
import { CliError } from './cli-error.ts'
import { loadOrFail } from './load-or-fail.ts'
import { licenseStatus } from './panel/host/license-status.ts'
import type { CommandOptions } from './panel/frame/command-options.ts'
import { addCommandSpec, addGroup, addTargetOptions } from './panel/frame/command-spec.ts'
import type { LocalCall, ResourceSpec } from './panel/frame/command-types.ts'
import { readText, reasonOf } from './read-text.ts'
import { paint } from './terminal/paint.ts'
import { showRecord } from './panel/frame/show-record.ts'

/** Refuses to replace a file: a key that is lost cannot be made again. */
const write = (file: string, text: string, mode: number): void => {
  try {
    writeFileSync(file, text, { mode, flag: 'wx' })
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new CliError(
      exists
        ? `${file} exists already. Name another, or remove it first.`
        : `${file} cannot be written: ${reasonOf(error)}`,
    )
  }
}

const limitOf = (option: string, value: string | undefined, preset: number): number => {
  if (value === undefined) return preset
  if (!/^(-1|\d{1,9})$/.test(value))
    throw new CliError(`--${option} must be a whole number; -1 is unlimited.`, 2)
  return Number(value)
}

const dateOf = (value: string | undefined): string | null => {
  if (value === undefined) return null
  const ms = Date.parse(`${value}T00:00:00Z`)
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== value)
    throw new CliError(`--expires ${value} is no date. Write it as YYYY-MM-DD.`, 2)
  return value
}

const termsOf = (options: CommandOptions): LicenseTerms => {
  const {
    tier,
    holder = '',
    accounts,
    domains,
    expires,
  } = options.texts('tier', 'holder', 'accounts', 'domains', 'expires')
  if (tier !== 'pro' && tier !== 'business')
    throw new CliError(
      `--tier ${tier} is none. Choose pro or business; Community needs no licence.`,
      2,
    )
  if (holder.trim() === '' || holder.length > 200)
    throw new CliError('--holder must have 1 to 200 characters.', 2)
  return {
    holder,
    tier,
    accounts_limit: limitOf('accounts', accounts, TIER_LIMITS[tier].accounts),
    domains_limit: limitOf('domains', domains, TIER_LIMITS[tier].domains),
    issued_at: new Date().toISOString().slice(0, 10),
    expires_at: dateOf(expires),
  }
}

/** Why a licence with these terms will not count, though it is signed; null: it will. */
const warningOf = ({ expires_at, issued_at }: LicenseTerms): string | null =>
  expires_at !== null && expires_at < issued_at
    ? `The last day of this licence, ${expires_at}, is over: no panel accepts it.`
    : null

const issue = async ({ options, json, print }: LocalCall): Promise<void> => {
  const terms = termsOf(options)
  const { key = '', out } = options.texts('key', 'out')
  const secret = readText(key)
  let text: string
  try {
    text = await signLicense(terms, secret)
  } catch {
    throw new CliError(`${key} is no Ed25519 private key in PEM. Make one: berth license keygen`)
  }
  const warning = warningOf(terms)
  if (warning !== null && (out === undefined || !json))
    console.error(`${paint('yellow', 'Warning')}: ${warning}`)
  if (out === undefined) process.stdout.write(text)
  else {
    write(out, text, 0o644)
    print({ file: out, ...terms, warning }, `${out}: ${terms.tier} for ${terms.holder}.`)
  }
}

const show = async ({ args, options, configFile, print }: LocalCall): Promise<void> => {
  const file = args[0] || undefined
  const keyFile = options.text('key')
  const configured =
    file === undefined || keyFile === undefined ? (await loadOrFail(configFile)).panel : null
  const license = file ?? configured?.license_file ?? null
  const key = keyFile ?? configured?.license_public_key_file ?? null
  const printFacts = (facts: object): void => print(facts, () => showRecord(facts))
  const { accounts, domains } = TIER_LIMITS.community
  const community = { tier: 'community', accounts_limit: accounts, domains_limit: domains }
  if (license === null) return printFacts({ ...community, valid: true })
  if (key === null)
    throw new CliError(
      'No public key is configured. Set [panel] license_public_key_file, or give --key.',
    )
  const reading = await readLicense(readText(license), readText(key), Date.now())
  if (reading.ok) return printFacts({ ...reading.terms, valid: true })
  printFacts({ ...community, valid: false, problem: reading.problem })
  process.exitCode = 1
}

const license: ResourceSpec = {
  name: 'license',
  summary: 'licence files',
  commands: {
    keygen: {
      summary: 'make a pair of keys: license.key signs, license.pub checks',
      options: [['--out <directory>', 'where to', { preset: '.' }]],
      examples: ['berth license keygen --out /root/keys'],
      async act({ options, print }) {
        const [key, pub] = ['license.key', 'license.pub'].map((name) =>
          join(options.text('out') ?? '', name),
        ) as [string, string]
        const { privateKey, publicKey } = await newLicenseKeys()
        write(key, privateKey, 0o600)
        write(pub, publicKey, 0o644)
        print({ private_key: key, public_key: pub }, `${key} (keep it secret), ${pub}`)
      },
    },
    issue: {
      summary: 'sign a licence',
      options: [
        ['--key <file>', 'the private key', { required: true }],
        ['--tier <tier>', 'pro or business', { required: true }],
        ['--holder <name>', 'whom it is for', { required: true }],
        ['--expires <date>', 'last day, YYYY-MM-DD (default: never)'],
        ['--accounts <limit>', "accounts, -1 unlimited (default: the tier's)"],
        ['--domains <limit>', "domains, -1 unlimited (default: the tier's)"],
        ['--out <file>', 'where to (default: standard output)'],
      ],
      examples: [
        'berth license issue --key license.key --tier pro --holder "Example Ltd" --out license.json',
      ],
      act: issue,
    },
    show: {
      summary: 'check a licence and show what it grants',
      args: [['[file]', "default: the configuration's"]],
      options: [['--key <file>', "the public key (default: the configuration's)"]],
      examples: ['berth license show', 'berth license show license.json --key license.pub'],
      act: show,
    },
  },
}

/** `berth license keygen | issue | show | status`. */
export const addLicenseCommands = (program: Command): void => {
  addTargetOptions(addCommandSpec(addGroup(program, license), 'status', licenseStatus))
}
