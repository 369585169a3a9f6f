import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'
import { ManagementClient } from '../client.ts'
import { loadOrFail } from '../load-or-fail.ts'
import { given, type CommandOptions } from '../panel/frame/command-options.ts'
import type { LocalSpec } from '../panel/frame/command-types.ts'
import { reasonOf } from '../read-text.ts'
import { createProgress } from '../terminal/progress.ts'

/** The response of `POST /api/v1/cache/warm`, summed over several. */
interface Receipt {
  queued: number
  duplicates: number
  rejected: { url: string; reason: string }[]
  queue_size: number
  deterministic?: string
}

/** The part of the statistics that tells what becomes of the targets. */
interface WarmCounts {
  queue_size: number
  running: number
  done: number
  failed: number
  skipped: number
}

/** URLs per request: below the limits of the API whatever their length. */
const CHUNK = 100
const POLL_MS = 200

/** One URL or path a line; blank lines and those that begin with `#` are left out. */
const readUrls = (file: string): string[] => {
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : resolve(file), 'utf8')
  } catch (error) {
    throw new CliError(
      `${file === '-' ? 'Standard input' : file} cannot be read: ${reasonOf(error)}.`,
    )
  }
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
  return lines.filter((line) => line !== '')
}

const send = async (
  client: ManagementClient,
  urls: readonly string[],
  options: CommandOptions,
): Promise<Receipt> => {
  const total: Receipt = { queued: 0, duplicates: 0, rejected: [], queue_size: 0 }
  for (let from = 0; from === 0 || from < urls.length; from += CHUNK) {
    const last = from + CHUNK >= urls.length
    const body = given({
      urls: urls.slice(from, from + CHUNK),
      ...options.texts('domain', 'trigger'),
      deterministic: (last && options.isOn('deterministic')) || undefined,
    })
    const receipt = (await client.call('POST', '/cache/warm', {}, body)) as Receipt
    total.queued += receipt.queued
    total.duplicates += receipt.duplicates
    total.rejected.push(...receipt.rejected)
    total.queue_size = receipt.queue_size
    if (receipt.deterministic !== undefined) total.deterministic = receipt.deterministic
  }
  return total
}

const countsOf = async (client: ManagementClient): Promise<WarmCounts> => {
  const stats = (await client.call('GET', '/cache/stats')) as { warm?: WarmCounts }
  if (stats.warm === undefined) throw new CliError('The web server shows no warm queue.')
  return stats.warm
}

/** Waits until the queue is empty and answers what became of targets since `before`. */
const settle = async (client: ManagementClient, before: WarmCounts) => {
  const progress = createProgress()
  try {
    for (;;) {
      const now = await countsOf(client)
      const outcome = {
        done: now.done - before.done,
        skipped: now.skipped - before.skipped,
        failed: now.failed - before.failed,
      }
      const left = now.queue_size + now.running
      if (left === 0) return outcome
      const over = outcome.done + outcome.skipped + outcome.failed
      progress.show((over / (over + left)) * 100, `${over} pages, ${left} to go`)
      await pause(POLL_MS)
    }
  } finally {
    progress.clear()
  }
}

const printCounts = (rows: readonly (readonly [string, string | number])[]): void => {
  const width = Math.max(...rows.map(([name]) => name.length))
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value}`)
}

/** `berth cache warm`: exit code 1 when a target was rejected or, with `--wait`, failed. */
export const warm: LocalSpec = {
  summary: 'fill the cache before visitors come',
  note: 'Exit code 1 when a URL was rejected or, with --wait, a page failed.',
  options: [
    ['--url <url>', 'a path or a URL of a site of this server; repeatable', { repeatable: true }],
    [
      '--urls <file>',
      'a file with one of them a line, # begins a comment; - reads from standard input',
    ],
    ['--domain <domain>', 'the site that paths are of; default: every site'],
    ['--deterministic', 'home page, sitemaps, and the pages that the home page links to'],
    ['--trigger <text>', 'what to show in the statistics as the cause', { preset: 'cli' }],
    ['--api <management_api_url>', 'another management API, e.g. http://127.0.0.1:8090'],
    ['--wait', 'wait until the queue is empty and say what became of it'],
  ],
  examples: [
    'berth cache warm --deterministic --wait',
    'berth cache warm --domain shop.example --url / --url /sale',
    'berth cache warm --urls pages.txt --api http://127.0.0.1:8090',
  ],
  async act({ configFile, options, print }) {
    const [named, file] = [options.list('url'), options.text('urls')]
    const isFinding = options.isOn('deterministic')
    if (named === undefined && file === undefined && !isFinding)
      throw new CliError('Say what to warm: --url <url>, --urls <file> or --deterministic.', 2)
    const urls = [...(named ?? []), ...(file === undefined ? [] : readUrls(file))]
    if (urls.length === 0 && !isFinding)
      throw new CliError(`${file ?? ''} names no URL. Write one path or URL a line.`)
    const client = new ManagementClient(await loadOrFail(configFile), options.text('api'))
    const before = options.isOn('wait') ? await countsOf(client) : null
    const receipt = await send(client, urls, options)
    const outcome = before === null ? null : await settle(client, before)
    print({ ...receipt, ...(outcome && { outcome }) }, () => {
      printCounts([
        ['queued', receipt.queued],
        ['duplicates', receipt.duplicates],
        ['rejected', receipt.rejected.length],
        ...(outcome === null
          ? [['waiting', receipt.queue_size] as const]
          : Object.entries(outcome)),
      ])
      if (receipt.deterministic === 'running')
        console.log('The pages are still being found; see: berth cache stats')
      for (const { url, reason } of receipt.rejected) console.error(`${url}: ${reason}`)
    })
    if (receipt.rejected.length > 0 || (outcome?.failed ?? 0) > 0) process.exitCode = 1
  },
}
