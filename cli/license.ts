import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { newLicenseKeys, readLicense, signLicense } from '#handlers/domain/license/license-file.ts'
import type { LicenseTerms } from '#handlers/domain/license/license-file.ts'
import { TIER_LIMITS } from '#handlers/domain/license/license-limits.ts'
import { CliError } from './cli-error.ts'
import { withExamples } from './examples.ts'
import { loadOrFail } from './load-or-fail.ts'
import { readGlobalOptions } from './options.ts'
import { licenseStatus } from './panel/host/license-status.ts'
import { addCommandSpec, addTargetOptions } from './panel/frame/command-spec.ts'
import { paint } from './terminal/paint.ts'
import { showRecord } from './panel/frame/show-record.ts'

interface IssueOptions {
  key: string
  tier: string
  holder: string
  expires?: string
  accounts?: string
  domains?: string
  out?: string
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

/** Refuses to replace a file: a key that is lost cannot be made again. */
const write = (file: string, text: string, mode: number): void => {
  try {
    writeFileSync(file, text, { mode, flag: 'wx' })
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new CliError(
      exists
        ? `${file} exists already. Name another, or remove it first.`
        : `${file} cannot be written: ${error instanceof Error ? error.message : ''}`,
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

const termsOf = (options: IssueOptions): LicenseTerms => {
  const { tier, holder } = options
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
    accounts_limit: limitOf('accounts', options.accounts, TIER_LIMITS[tier].accounts),
    domains_limit: limitOf('domains', options.domains, TIER_LIMITS[tier].domains),
    issued_at: new Date().toISOString().slice(0, 10),
    expires_at: dateOf(options.expires),
  }
}

/** Why a licence with these terms will not count, though it is signed; null: it will. */
const warningOf = ({ expires_at, issued_at }: LicenseTerms): string | null =>
  expires_at !== null && expires_at < issued_at
    ? `The last day of this licence, ${expires_at}, is over: no panel accepts it.`
    : null

const issue = async (options: IssueOptions, command: Command): Promise<void> => {
  const terms = termsOf(options)
  const key = read(options.key)
  let text: string
  try {
    text = await signLicense(terms, key)
  } catch {
    throw new CliError(
      `${options.key} is no Ed25519 private key in PEM. Make one: berth license keygen`,
    )
  }
  const warning = warningOf(terms)
  const { json } = readGlobalOptions(command)
  if (warning !== null && (options.out === undefined || !json))
    console.error(`${paint('yellow', 'Warning')}: ${warning}`)
  if (options.out === undefined) process.stdout.write(text)
  else {
    write(options.out, text, 0o644)
    if (json) console.log(JSON.stringify({ file: options.out, ...terms, warning }, null, 2))
    else console.log(`${options.out}: ${terms.tier} for ${terms.holder}.`)
  }
}

const show = async (
  file: string | undefined,
  keyFile: string | undefined,
  command: Command,
): Promise<void> => {
  const { configFile, json } = readGlobalOptions(command)
  const configured =
    file === undefined || keyFile === undefined ? (await loadOrFail(configFile)).panel : null
  const license = file ?? configured?.license_file ?? null
  const key = keyFile ?? configured?.license_public_key_file ?? null
  const print = (facts: Record<string, unknown>): void => {
    if (json) console.log(JSON.stringify(facts, null, 2))
    else showRecord(facts)
  }
  const { accounts, domains } = TIER_LIMITS.community
  const community = { tier: 'community', accounts_limit: accounts, domains_limit: domains }
  if (license === null) {
    print({ ...community, valid: true })
    return
  }
  if (key === null)
    throw new CliError(
      'No public key is configured. Set [panel] license_public_key_file, or give --key.',
    )
  const reading = await readLicense(read(license), read(key), Date.now())
  if (reading.ok) print({ ...reading.terms, valid: true })
  else {
    print({ ...community, valid: false, problem: reading.problem })
    process.exitCode = 1
  }
}

/** `berth license keygen | issue | show | status`. */
export const addLicenseCommands = (program: Command): void => {
  const license = program.command('license').description('licence files')
  const keygen = license
    .command('keygen')
    .description('make a pair of keys: license.key signs, license.pub checks')
    .option('--out <directory>', 'where to', '.')
    .action(async ({ out }: { out: string }, command: Command) => {
      const { privateKey, publicKey } = await newLicenseKeys()
      const files = { private_key: join(out, 'license.key'), public_key: join(out, 'license.pub') }
      write(files.private_key, privateKey, 0o600)
      write(files.public_key, publicKey, 0o644)
      if (readGlobalOptions(command).json) console.log(JSON.stringify(files, null, 2))
      else console.log(`${files.private_key} (keep it secret), ${files.public_key}`)
    })
  withExamples(keygen, ['berth license keygen --out /root/keys'])
  const sign = license
    .command('issue')
    .description('sign a licence')
    .requiredOption('--key <file>', 'the private key')
    .requiredOption('--tier <tier>', 'pro or business')
    .requiredOption('--holder <name>', 'whom it is for')
    .option('--expires <date>', 'last day, YYYY-MM-DD (default: never)')
    .option('--accounts <limit>', "accounts, -1 unlimited (default: the tier's)")
    .option('--domains <limit>', "domains, -1 unlimited (default: the tier's)")
    .option('--out <file>', 'where to (default: standard output)')
    .action(issue)
  withExamples(sign, [
    'berth license issue --key license.key --tier pro --holder "Example Ltd" --out license.json',
  ])
  const check = license
    .command('show')
    .description('check a licence and show what it grants')
    .argument('[file]', "default: the configuration's")
    .option('--key <file>', "the public key (default: the configuration's)")
    .action((file: string | undefined, { key }: { key?: string }, command: Command) =>
      show(file, key, command),
    )
  withExamples(check, ['berth license show', 'berth license show license.json --key license.pub'])
  addTargetOptions(addCommandSpec(license, licenseStatus))
}
