import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { MachinePackages, PendingUpdate } from '#handlers/ports/host/machine.ts'
import { runCommand } from '../../process/run-command.ts'
import { isNeeded } from './needed-packages.ts'
import { NotSeen } from './seen.ts'

const APT_CACHE = '/usr/bin/apt-cache'
const DPKG_QUERY = '/usr/bin/dpkg-query'
const LISTS = '/var/lib/apt/lists'
const STAMP = '/var/lib/apt/periodic/update-success-stamp'
const STATUS = '/var/lib/dpkg/status'
const QUICK = { timeoutMs: 20_000, maxOutputBytes: 4 * 2 ** 20 }

/** E.g. `http://security.debian.org/debian-security bookworm-security/main`, `jammy-security/main`. */
const SECURITY = /\bsecurity\.|-security[/ ]|:\/\/[^ ]*security/

/** Of `apt-cache policy`: packages whose candidate is another version than the one that is installed. */
export const parsePolicy = (output: string): PendingUpdate[] => {
  const found: PendingUpdate[] = []
  for (const block of output.split(/\n(?=\S)/)) {
    const name = /^(\S+):$/m.exec(block)?.[1]
    const installed = /^ {2}Installed: (\S+)$/m.exec(block)?.[1]
    const candidate = /^ {2}Candidate: (\S+)$/m.exec(block)?.[1]
    if (name === undefined || installed === undefined || candidate === undefined) continue
    if (installed === candidate || installed === '(none)' || candidate === '(none)') continue
    // Lines of a version are followed by the archives that have it, each with a number in front.
    const lines = block.split('\n')
    const at = lines.findIndex(
      (line) => /^ (?:\*\*\*| {3}) /.test(line) && line.split(' ').includes(candidate),
    )
    const archives: string[] = []
    for (const line of lines.slice(at + 1)) {
      if (at === -1 || !/^ {6} *-?\d/.test(line)) break
      archives.push(line)
    }
    const security = archives.some((line) => SECURITY.test(line))
    found.push({ name, installed, candidate, security })
  }
  return found
}

/** Of `dpkg-query`: names of packages that are installed and that Berth needs. */
export const parseInstalled = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => line.endsWith(' installed'))
    .map((line) => line.split(' ')[0] ?? '')
    .filter(isNeeded)

/** The lists that apt has, with when the newest was fetched. */
const readLists = (): { names: string[]; newestMs: number } => {
  const names = existsSync(LISTS)
    ? readdirSync(LISTS).filter((name) => /_(?:In)?Release$|_Packages(?:\.|$)/.test(name))
    : []
  if (!names.some((name) => name.includes('_Packages')))
    throw new NotSeen('apt has no lists of packages here; fetch them: apt-get update')
  // A list keeps the time that the archive gave it; where apt worked, directories and its stamp tell.
  const paths = [STAMP, LISTS, join(LISTS, 'partial'), ...names.map((name) => join(LISTS, name))]
  const times = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return { names, newestMs: Math.max(...times) }
}

const read = async (): Promise<MachinePackages> => {
  if (!existsSync(APT_CACHE) || !existsSync(DPKG_QUERY))
    throw new NotSeen('there is no apt on this machine, whose lists would tell')
  const { names, newestMs } = readLists()
  const query = ['-W', '-f', '${Package} ${db:Status-Status}\n']
  const needed = parseInstalled((await runCommand(DPKG_QUERY, query, QUICK)).stdout)
  const { code, stdout, stderr } =
    needed.length === 0
      ? { code: 0, stdout: '', stderr: '' }
      : await runCommand(APT_CACHE, ['policy', '--', ...needed], QUICK)
  if (code !== 0) throw new NotSeen(`apt-cache failed: ${stderr.trim().slice(0, 200)}`)
  return {
    listedAtMs: Math.floor(newestMs),
    securityListed: names.some((name) => /security/i.test(name)),
    updates: parsePolicy(stdout),
  }
}

/** Changes whenever packages or lists do. */
const fingerprint = (): string =>
  [LISTS, STATUS].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(' ')

/**
 * Pending updates, without the network. What apt said counts until lists or packages
 * change; where it takes long, whoever asks again gets the answer of the first question.
 */
export const createPackageReader = (ask: () => Promise<MachinePackages> = read) => {
  let known: { of: string; answer: Promise<MachinePackages> } | null = null
  return (): Promise<MachinePackages> => {
    const of = fingerprint()
    if (known?.of !== of) {
      const answer = ask()
      known = { of, answer }
      // A failure is not kept: the next question may fare better.
      answer.catch(() => (known = null))
    }
    return known.answer
  }
}
