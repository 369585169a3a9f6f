import { CliError } from '../cli-error.ts'
import type { ResourceSpec } from '../panel/frame/command-types.ts'
import { printTable } from '../terminal/print-table.ts'
import { readProfiles, writeProfiles } from './profiles.ts'

const unknown = (name: string): CliError =>
  new CliError(`There is no profile "${name}". See: berth profile list`)

/** `berth profile list | use | delete`. */
export const profile: ResourceSpec = {
  name: 'profile',
  alias: 'profiles',
  summary: 'panels that one logged in to',
  commands: {
    list: {
      summary: 'list the profiles; the one with a star counts without --profile',
      examples: ['berth profile list'],
      act({ print }) {
        const { current, profiles } = readProfiles()
        const rows = Object.entries(profiles).map(([name, { url, username, token }]) => ({
          name,
          url,
          username,
          logged_in: token !== null,
          current: name === current,
        }))
        print(rows, () =>
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
          ),
        )
      },
    },
    use: {
      summary: 'choose the profile that counts without --profile; local is this machine',
      args: [['<name>', 'of a profile, or local']],
      examples: ['berth profile use panel.example.com', 'berth profile use local'],
      act({ args: [name = ''], print }) {
        const known = readProfiles()
        if (name !== 'local' && known.profiles[name] === undefined) throw unknown(name)
        const current = name === 'local' ? null : name
        writeProfiles({ ...known, current })
        print({ current }, `Commands work on ${current ?? 'this machine'}.`)
      },
    },
    delete: {
      summary: 'forget a profile; its session ends with berth logout',
      args: [['<name>', 'of a profile']],
      examples: ['berth profile delete ci'],
      act({ args: [name = ''], print }) {
        const known = readProfiles()
        if (known.profiles[name] === undefined) throw unknown(name)
        const { [name]: _gone, ...profiles } = known.profiles
        writeProfiles({ current: known.current === name ? null : known.current, profiles })
        print({ deleted: name }, `Profile ${name} was forgotten.`)
      },
    },
  },
}
