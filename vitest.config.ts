import { defineConfig } from 'vitest/config'

/**
 * Test projects, quick to slow. `unit` needs nothing but Node; `workerd` starts
 * Miniflare; `node` uses real components as root; `e2e`, `attack` and `crash`
 * start whole instances of the product and therefore run one file at a time.
 */
const project = (name: string, include: string[], extra: Record<string, unknown> = {}) => ({
  test: {
    name,
    include,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One second, the default, is what a busy machine takes now and then.
    expect: { poll: { timeout: 15_000 } },
    ...extra,
  },
})
const serial = { fileParallelism: false, testTimeout: 120_000, hookTimeout: 180_000 }

export default defineConfig({
  test: {
    projects: [
      project('unit', ['test/unit/**/*.test.ts']),
      project('contract', ['test/node/contract/**/*.test.ts']),
      project('workerd', ['test/workerd/**/*.test.ts']),
      project('node', ['test/node/*/**/*.test.ts', '!test/node/contract/**'], serial),
      project('cli', ['test/cli/**/*.test.ts'], serial),
      project('e2e', ['test/e2e/**/*.test.ts'], serial),
      project('attack', ['test/attack/**/*.test.ts'], serial),
      project('crash', ['test/crash/**/*.test.ts'], serial),
      project('install', ['test/install/**/*.test.ts'], serial),
      project('ui', ['test/ui/**/*.test.ts'], serial),
    ],
  },
})
