import type { z } from 'zod'
import { TEST_METHODS } from '#handlers/domain/site-test/test-rules.ts'
import type { siteTestAnswer } from '#handlers/panel/site-settings/schema.ts'
import { CliError } from '../../cli-error.ts'
import { readText } from '../../read-text.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { findDomain } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'

type SiteTest = z.output<typeof siteTestAnswer>
type Step = SiteTest['steps'][number]
type Rule = Extract<Step, { kind: 'rule' }>

const ENDS: Readonly<Record<NonNullable<Rule['end']>, string>> = {
  last: 'the last rule of this round',
  end: 'ends all rewriting',
  redirect: 'redirects',
  status: 'answers with its status',
  forbidden: 'answers 403',
  proxy: 'would pass on to another server, which sites may not: 403',
  pass: 'passes on to an application of the site',
  gone: 'answers 410',
  refused: 'refused: the address holds what it must not',
  next: 'begins anew with the first rule',
  skip: 'skips the next rules',
}
const PASSED_OVER = {
  pattern: 'does not match',
  conditions: 'conditions do not hold',
  chain: 'not asked, the chain broke before it',
  skip: 'skipped',
  inner: 'not for inner requests',
} as const
const ENDED = {
  hidden: 'a hidden file',
  'too-deep': 'a path with too many parts',
  'bad-address': 'the rules made an address that leaves the site',
  rounds: 'the rules lead on more than ten times',
  steps: 'the rules take too many steps',
  rules: 'more rules were looked at than one list may have',
} as const

const address = (path: string, query: string | null): string =>
  query === null || query === '' ? path : `${path}?${query}`
const to = (location: string | null): string => (location === null ? '' : ` to ${location}`)

const ruleLines = (rule: Rule): string[] => {
  const { source, line, text, outcome, subject, conditions, path, query, end } = rule
  const sees = subject === null ? '' : ` (sees "${subject}")`
  const conditionLines = conditions.map(({ holds, text, value }) => {
    const word = holds === null ? 'not asked' : holds ? 'holds' : 'does not hold'
    return `      ${word}: ${text}${value === null ? '' : ` (is "${value}")`}`
  })
  if (outcome !== 'applied')
    return [
      `  - ${source}:${line} ${text}`,
      `      ${PASSED_OVER[outcome]}${sees}`,
      ...conditionLines,
    ]
  return [
    `  + ${source}:${line} ${text}`,
    `      matches${sees}; the address is ${address(path ?? '', query)}${end === null ? '' : `; ${ENDS[end]}`}`,
    ...conditionLines,
    ...rule.set.map(({ kind, text }) => `      sets the ${kind} ${text}`),
  ]
}

/** What one step says, in lines. */
export const stepLines = (step: Step): string[] => {
  switch (step.kind) {
    case 'entrance':
      return [`Before the site: ${step.status}${to(step.location)}`]
    case 'held':
      return [`Held for a while, because it held up other sites: ${step.status}`]
    case 'guard':
      return [`The setting ${step.rule} of the site: ${step.status}${to(step.location)}`]
    case 'own':
      return [`Rules of the configuration, for ${address(step.path, step.query)}`]
    case 'address':
      return [
        `${address(step.path, step.query)} (${step.sources.length === 0 ? 'no rules' : `rules of ${step.sources.join(', ')}`})`,
      ]
    case 'unreadable':
      return [`  ! ${step.source} closes what lies below it: ${step.reason}`]
    case 'unknown':
      return [`  ! ${step.source}: left out, because not known: ${step.names.join(', ')}`]
    case 'section':
      return [
        `  ${step.holds ? '+' : '-'} ${step.source}:${step.line} ${step.text} ${step.holds ? 'holds' : 'does not hold'}`,
      ]
    case 'rule':
      return ruleLines(step)
    case 'not-rewriting':
      return [
        step.why === 'off'
          ? '  - RewriteEngine is off: no rule is asked'
          : '  - a rule ended all rewriting',
      ]
    case 'redirect':
      return [`  + ${step.source}:${step.line} ${step.text}: ${step.status}${to(step.location)}`]
    case 'shut-out':
      return [`  + who asks is shut out by the site's rules: ${step.status}`]
    case 'onward': {
      const why = {
        rules: 'goes on with',
        index: 'index:',
        'stand-in': 'nothing is there; instead',
      }
      return [`  > ${why[step.why]} ${address(step.path, step.query)}`]
    }
    case 'ended': {
      const at = step.at === null ? '' : `, at ${step.at.source}:${step.at.line} ${step.at.text}`
      return [`  ! ${ENDED[step.why]}${at}: ${step.status}`]
    }
    case 'cut':
      return ['  … more than can be shown']
  }
}

const outcomeLine = ({ kind, status, location, file, query }: SiteTest['outcome']): string => {
  switch (kind) {
    case 'script':
      return `the script ${file}${query === null ? '' : ` with ${query}`} answers`
    case 'application':
      return `the application answers ${query ?? ''}`
    case 'file':
      return `${status}, the file ${file}`
    case 'listing':
      return `${status}, the names in the folder`
    case 'redirect':
      return `${status}${to(location)}`
    case 'status':
      return `${status}${file === null ? '' : `, with the page ${file}`}`
  }
}

const shown = (data: unknown): void => {
  const { steps, outcome } = known<SiteTest>(data, 'steps', 'outcome')
  for (const step of steps) for (const line of stepLines(step)) console.log(line)
  console.log(`\nAnswer: ${outcomeLine(outcome)}`)
}

const headerOf = (line: string): readonly [string, string] => {
  const colon = line.indexOf(':')
  if (colon < 1) throw new CliError(`--header must be "Name: value", but is "${line}".`, 2)
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

/** `berth site test`. */
export const test: CommandSpec = {
  summary: 'say what a site would answer, and which of its rewrite rules make it so',
  note: 'No script runs and nothing is counted; the page cache is passed by. The client is whoever asks.',
  args: [
    ['<domain>', 'name or number'],
    ['<url>', 'a path, or an address with a name of the site'],
  ],
  options: [
    ['--method <method>', 'of the request', { choices: TEST_METHODS, preset: 'GET' }],
    [
      '--header <field>',
      '"Name: value", as in "User-Agent: Probe"; repeatable',
      { repeatable: true },
    ],
    ['--draft <file>', "stands in place of the document root's .htaccess; nothing is saved"],
  ],
  examples: [
    'berth site test shop.example /old/page?a=1',
    'berth site test shop.example https://www.shop.example/ --header "Cookie: seen=1"',
    'berth site test shop.example /old --draft new.htaccess',
  ],
  async order({ panel, args: [domain, url], options }) {
    const headers = options.list('header')?.map(headerOf)
    const draft = options.text('draft')
    const body = given({
      ...{ url, method: options.text('method') },
      headers: headers && Object.fromEntries(headers),
      draft: draft === undefined ? undefined : readText(draft, 2),
    })
    const { id } = await findDomain(panel, domain)
    return { to: api`POST /api/domains/${id}/site/test`, body, done: shown }
  },
}
