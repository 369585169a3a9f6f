import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong on the page as it is now; all rules but the experimental ones, or those named. */
export const violationsOf = async (page: Page, only?: readonly string[]): Promise<string[]> => {
  // Through the debugger's evaluation: a script element would need an exception from the policy.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return page.evaluate(async (only) => {
    const { axe } = window as unknown as {
      axe: { run(context: Document, options: object): Promise<AxeResults> }
    }
    // A menu floats beside the landmarks as dialogs do, but axe excepts only those.
    const region = { enabled: document.querySelector('[role=menu]') === null }
    const options = only
      ? { runOnly: { type: 'rule', values: only } }
      : { rules: { region, 'target-size': { enabled: true } } }
    // Style sheets, which it would fetch anew, are for experimental rules alone.
    const preload = { assets: ['media'] }
    const found = await axe.run(document, { resultTypes: ['violations'], preload, ...options })
    // In the page: handing out all that it tells took longer than finding it.
    return found.violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${impact} ${id} at ${target.join(' ')}: ${failureSummary?.split('\n').slice(1).join(' ')}`,
      ),
    )
  }, only)
}
