/** What the manual page and the reference say beside the commands. */
export const COMMON_FACTS = {
  description: [
    'Commands about the configuration, the page cache and the host itself work on the machine that they are run on. They find its Berth through the configuration file: /etc/berth/berth.toml as root, var/berth.toml of the checkout otherwise, or what --config names.',
    "Commands about accounts, domains and all else that the panel does are a client of the panel's REST API. On its own machine root (or the user who started Berth) needs no login. Elsewhere, log in with berth login, or give an API token; see --url, --token-file and --profile of those commands.",
    'Long work shows its progress on standard error when that is a terminal. Passwords are never taken from the command line, which other users can see.',
  ],
  exitCodes: [
    ['0', 'It was done.'],
    [
      '1',
      'It failed; standard error says what, why, and how to fix it. With --json that is an object too: error, exit_code, and where the panel refused the call, status and field.',
    ],
    ['2', 'The command line or the configuration is wrong.'],
  ],
  environment: [
    ['BERTH_URL', 'Address of a panel elsewhere, as --url.'],
    ['BERTH_TOKEN', 'Session or API token, as --token.'],
    ['BERTH_PROFILE', 'Name of a profile, as --profile.'],
    ['NO_COLOR', 'When set and not empty, nothing is printed in colour.'],
    ['XDG_CONFIG_HOME', 'Where the profiles are kept; default ~/.config.'],
  ],
  files: [
    ['/etc/berth/berth.toml', 'Configuration of the system.'],
    ['~/.config/berth/profiles.json', 'Profiles of berth login, mode 0600.'],
  ],
} as const satisfies {
  description: readonly string[]
  exitCodes: readonly (readonly [string, string])[]
  environment: readonly (readonly [string, string])[]
  files: readonly (readonly [string, string])[]
}
