import type { Difference } from '#adapters/node/swap/compare-after.ts'
import { revertSwap } from '#adapters/node/swap/revert-swap.ts'
import { runSwap, WentBackError, type SwapOrder } from '#adapters/node/swap/run-swap.ts'
import { hashOf, type SwapParts } from '#adapters/node/swap/swap-parts.ts'
import type { SwapState } from '#adapters/node/swap/swap-types.ts'
import { writeWhole } from '#adapters/node/swap/write-whole.ts'
import { CliError } from '../cli-error.ts'
import { printable } from '../terminal/printable.ts'
import { printPlan } from './print-plan.ts'
import type { SwapPlan } from './swap-plan.ts'

/** What the ways to use the command have in common. */
export interface SwapContext {
  parts: SwapParts
  /** The configuration file. */
  file: string
  json: boolean
  makePlan(): Promise<SwapPlan>
}

const isUnfinished = ({ phase }: SwapState): boolean => phase !== 'swapped' && phase !== 'reverted'

const differencesText = (differences: readonly Difference[]): string =>
  differences.map(({ url, what }) => `  ${printable(`${url}: ${what}`)}`).join('\n')

const done = ({ json }: SwapContext, answer: unknown, text: string): void =>
  console.log(json ? JSON.stringify(answer, null, 2) : text)

const goBack = async (context: SwapContext, state: SwapState): Promise<void> => {
  const differences = await revertSwap(context.parts, state)
  const more =
    differences.length === 0 ? '' : `\nNot as before the swap:\n${differencesText(differences)}`
  done(
    context,
    { phase: state.phase, server: state.old.program, differences },
    `${state.old.program} serves again, and ${state.config_file} is as it was.${more}`,
  )
}

/** `--revert`. */
export const revert = async (context: SwapContext): Promise<void> => {
  const state = context.parts.store.read()
  if (state === null || state.phase === 'reverted')
    throw new CliError('There is no swap to go back from.')
  await goBack(context, state)
}

const refuse = (plan: SwapPlan): void => {
  if (plan.problems.length > 0)
    throw new CliError(
      `It cannot be done like this:\n${plan.problems.map((problem) => `  ${printable(problem)}`).join('\n')}\nNothing was changed.`,
    )
}

/** `--swap`. */
export const swap = async (
  context: SwapContext,
  { loose, accepts }: Pick<SwapOrder, 'loose' | 'accepts'>,
): Promise<void> => {
  const { parts, file } = context
  const earlier = parts.store.read()
  if (earlier !== null && isUnfinished(earlier)) {
    parts.onStep('An earlier swap did not come to its end: going back from it first')
    await revertSwap(parts, earlier)
  } else if (earlier?.phase === 'swapped')
    throw new CliError(
      `Berth is in the place of ${earlier.old.program} already. Go back with: berth swap --revert`,
    )
  const plan = await context.makePlan()
  refuse(plan)
  for (const warning of plan.warnings) parts.onStep(`Warning: ${warning}`)
  const { old, configText, targets } = plan
  if (old === null)
    throw new CliError(
      `No server runs with ${plan.source}. Its sites alone are taken over by: berth swap --config-only --from ${plan.source}`,
    )
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => interrupted.abort())
  const { signal } = interrupted
  try {
    const order = { old, configFile: file, configText, targets, loose, accepts, signal }
    const { compared } = await runSwap(parts, order)
    done(
      context,
      { phase: 'swapped', server: old.program, sites: plan.sites, compared },
      `Berth serves in the place of ${old.program}; ${compared} addresses answer as before.\nGo back with: berth swap --revert`,
    )
  } catch (error) {
    if (!(error instanceof WentBackError)) throw error
    const { message, differences } = error
    if (context.json)
      console.log(JSON.stringify({ phase: 'reverted', reason: message, differences }, null, 2))
    throw new CliError(
      `${printable(message)}\n${differencesText(differences)}\n${old.program} serves again, and all is as it was.${differences.length === 0 ? '' : ' What is meant to differ may stand in a file, line by line as above: --accept FILE'}`,
    )
  }
}

/** `--config-only`. */
export const configOnly = async (context: SwapContext): Promise<void> => {
  const plan = await context.makePlan()
  const hard = plan.sites.length === 0 ? ['It has no site that could be taken over.'] : []
  refuse({ ...plan, problems: hard })
  for (const warning of plan.warnings) context.parts.onStep(`Warning: ${warning}`)
  writeWhole(context.file, plan.configText, 0o640)
  const { store } = context.parts
  const state = store.read()
  if (state?.phase === 'swapped') {
    state.config_hash = hashOf(plan.configText)
    store.write(state)
  }
  done(
    context,
    {
      written: context.file,
      sites: plan.sites,
      kept: plan.kept,
      findings: plan.findings,
      warnings: plan.warnings,
    },
    `${plan.sites.length} sites were written to ${context.file}. Take them up with: berth service reload`,
  )
}

/** No option: the plan. */
export const dryRun = async (context: SwapContext): Promise<void> => {
  const earlier = context.parts.store.read()
  if (earlier !== null && isUnfinished(earlier))
    context.parts.onStep(
      `An earlier swap did not come to its end (${earlier.phase}). Go back: berth swap --revert`,
    )
  const plan = await context.makePlan()
  if (context.json) {
    const { configText, ...shown } = plan
    console.log(JSON.stringify({ ...shown, config: configText }, null, 2))
  } else printPlan(plan, context.file)
  process.exitCode = plan.problems.length > 0 ? 1 : 0
}
