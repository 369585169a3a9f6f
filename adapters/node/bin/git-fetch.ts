import { fetchPlan } from '../agent/applications/git/fetch/fetch-plan.ts'
import { fetchSubmodules } from '../agent/applications/git/fetch/fetch-submodules.ts'
import { runGit } from '../agent/applications/git/fetch/run-git.ts'

/**
 * Entry of what fetches the repository of an application with its submodules, started by the agent
 * as the account in the application's folder: the plan as its one argument, what git needs to reach
 * the repository itself in its environment.
 */
const plan = fetchPlan.parse(JSON.parse(process.argv[2] ?? ''))
const { clone, release, source, asking, mayBeLocal } = plan
const code = await runGit(clone, process.env)
if (code !== 0) process.exit(code ?? 1)
try {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  await fetchSubmodules(release, source, { asking, mayBeLocal, env: process.env, say })
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
