import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import { requireDocComments } from './scripts/eslint/require-doc-comments.ts'

const SIZES_IN_WORDS = {
  selector: 'TemplateElement[value.raw=/^ [kMGT]B\\b/]',
  message:
    'Sizes become words by inMegabytes (handlers/domain/text/megabyte.ts) or, on screens, by src/lib/format/size.ts.',
}

export default ts.config(
  {
    ignores: [
      'node_modules/',
      'build/',
      '.svelte-kit/',
      'dist/',
      'var/',
      '.cache/',
      'test-output/',
    ],
  },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    // Whoever sends a text must not choose how long reading it takes.
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
    },
  },
  {
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    rules: {
      'no-undef': 'off',
      'no-console': 'error',
      eqeqeq: ['error', 'always'],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'child_process', message: 'Use node:child_process.' },
            {
              name: 'node:child_process',
              importNames: ['exec', 'execSync'],
              message: 'Never a shell string; use execFile or spawn with an argv array.',
            },
          ],
        },
      ],
    },
  },
  {
    // Their texts are their own.
    files: ['test/**', 'bench/**'],
    rules: {
      'regexp/no-super-linear-backtracking': 'off',
      'regexp/no-super-linear-move': 'off',
    },
  },
  {
    // What others build on is described where it stands.
    files: ['handlers/ports/**', 'handlers/domain/**', 'edge-cache/**'],
    plugins: { berth: { rules: { 'require-doc-comments': requireDocComments } } },
    rules: { 'berth/require-doc-comments': 'error' },
  },
  {
    // The same size is the same number in every text: of files, disks and traffic in thousands.
    files: ['handlers/**', 'adapters/**', 'cli/**', 'src/**'],
    ignores: ['handlers/domain/text/megabyte.ts', 'handlers/domain/notifications/texts/**'],
    rules: {
      'no-restricted-syntax': ['error', SIZES_IN_WORDS],
    },
  },
  {
    // One place puts writes into order and makes their conditions hold.
    files: ['adapters/shared/store/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        SIZES_IN_WORDS,
        {
          selector:
            'CallExpression[callee.property.name=/^(execute|stream)/] Identifier[name="write"]',
          message: 'Compile what is written, and give it to runBatch.',
        },
      ],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  // What the server side of pages says goes to the console, on a machine as in a Worker.
  {
    files: ['scripts/**', 'cli/**', 'bench/**', 'test/**', 'src/hooks.server.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A run fails over tests that were left out without a word, wherever that would show.
      'no-restricted-syntax': [
        'error',
        ...[
          'MemberExpression[property.name=/^(skipIf|runIf|todo)$/]',
          'MemberExpression[object.name=/^(describe|it|test|suite)$/][property.name="skip"]',
        ].map((selector) => ({
          selector,
          message: "Leave tests out by their context's skip(condition, reason), which says why.",
        })),
        {
          selector: 'MemberExpression[object.name="vi"][property.name="waitFor"]',
          message:
            'Its limit is a second, which a busy machine takes: use test/support/waiting/wait-for.ts.',
        },
      ],
    },
  },
)
