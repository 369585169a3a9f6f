import { placeOf } from '../paths/resolve-path.ts'
import type { SiteCall } from '../site-call.ts'
import { ROOT_RULES, MAX_FILE_BYTES, type RuleStore } from './files/rule-store.ts'
import { makePlan, type PlanDeps } from './make-plan.ts'
import type { Plan } from './plan.ts'
import type { PlanTrace } from './plan-trace.ts'

/** A plan, and the texts that its rules stand in. */
export interface ExplainedPlan {
  plan: Plan
  /** Null for what is no text of the site. */
  textOf(source: string): Promise<string | null>
}

/** See `SiteRules.explain`. */
export const explainPlan = async (
  request: Pick<Request, 'method' | 'headers'>,
  call: Pick<SiteCall, 'vhost' | 'host' | 'target' | 'context'>,
  { draft, trace, ...deps }: PlanDeps & { trace: PlanTrace; draft: string | null },
): Promise<ExplainedPlan> => {
  const { vhost, context, target } = call
  const { ruleFiles } = deps
  const bytes = draft === null ? 0 : new TextEncoder().encode(draft).byteLength
  // What was saved a moment ago counts.
  if (vhost.htaccess) await deps.store.recheck(vhost, [target.file ?? '/'])
  // Who tries rules out needs no word of it in the log.
  let store: RuleStore = { ...deps.store, complain: () => undefined }
  if (draft !== null && vhost.htaccess) {
    const instead =
      bytes <= MAX_FILE_BYTES
        ? await store.understand(vhost, '/', draft, context)
        : ({ ...ROOT_RULES, rules: null, failure: 500, hash: 'too-large' } as const)
    const chain: RuleStore['chain'] = (host, file, asker) =>
      deps.store.chain(host, file, asker, instead)
    store = { ...store, chain }
  }
  const plan = await makePlan(request, call, { ...deps, store, trace })
  return {
    plan,
    async textOf(source) {
      if (source === 'rules') return vhost.rules ?? null
      if (!source.endsWith('/.htaccess')) return null
      if (draft !== null && source === ROOT_RULES.source) return draft
      const found = await ruleFiles.read(placeOf(vhost, source), null, MAX_FILE_BYTES)
      if (found.kind !== 'text') return null
      store.pay(vhost, found.text.length)
      return found.text
    },
  }
}
