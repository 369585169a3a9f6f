import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { withExamples } from '../examples.ts'
import { readGlobalOptions } from '../options.ts'
import { printTable } from '../terminal/print-table.ts'
import { readProfiles, writeProfiles } from './profiles.ts'

/** `berth profile list | use | delete`. */
export const addProfileCommands = (program: Command): void => {
  const group = program
    .command('profile')
    .alias('profiles')
    .description('panels that one logged in to')

  const list = group
    .command('list')
    .description('list the profiles; the one with a star counts without --profile')
    .action((_options, command: Command) => {
      const { current, profiles } = readProfiles()
      const rows = Object.entries(profiles).map(([name, { url, username, token }]) => ({
        name,
        url,
        username,
        logged_in: token !== null,
        current: name === current,
      }))
      if (readGlobalOptions(command).json) console.log(JSON.stringify(rows, null, 2))
      else
        printTable(
          rows,
          [
            { title: ' ', value: (row) => (row.current ? '*' : ' ') },
            { title: 'NAME', value: ({ name }) => name },
            { title: 'URL', value: ({ url }) => url },
            { title: 'USERNAME', value: ({ username }) => username },
            { title: 'LOGGED IN', value: (row) => row.logged_in },
          ],
          'There are no profiles; commands work on this machine. Add one: berth login',
        )
    })
  withExamples(list, ['berth profile list'])

  const use = group
    .command('use')
    .description('choose the profile that counts without --profile; local is this machine')
    .argument('<name>', 'of a profile, or local')
    .action((name: string, _options, command: Command) => {
      const known = readProfiles()
      if (name !== 'local' && known.profiles[name] === undefined)
        throw new CliError(`There is no profile "${name}". See: berth profile list`)
      const current = name === 'local' ? null : name
      writeProfiles({ ...known, current })
      if (readGlobalOptions(command).json) console.log(JSON.stringify({ current }, null, 2))
      else
        console.log(
          current === null ? 'Commands work on this machine.' : `Commands work on ${name}.`,
        )
    })
  withExamples(use, ['berth profile use panel.example.com', 'berth profile use local'])

  const remove = group
    .command('delete')
    .description('forget a profile; its session ends with berth logout')
    .argument('<name>', 'of a profile')
    .action((name: string, _options, command: Command) => {
      const known = readProfiles()
      if (known.profiles[name] === undefined)
        throw new CliError(`There is no profile "${name}". See: berth profile list`)
      const { [name]: _gone, ...profiles } = known.profiles
      writeProfiles({ current: known.current === name ? null : known.current, profiles })
      if (readGlobalOptions(command).json) console.log(JSON.stringify({ deleted: name }, null, 2))
      else console.log(`Profile ${name} was forgotten.`)
    })
  withExamples(remove, ['berth profile delete ci'])
}
