<?php
/** Makes of the files and tables of another site one of its own; see runner.php. */

namespace Berth\Runner;

const DATABASE_CONSTANTS = ['DB_NAME' => 'name', 'DB_USER' => 'user', 'DB_PASSWORD' => 'password', 'DB_HOST' => 'host'];

/** Names of the constants that sessions are signed with. */
function keyNames(): array
{
	$names = [];
	foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name)
		foreach (['KEY', 'SALT'] as $kind) $names[] = "{$name}_$kind";
	return $names;
}

/** A configuration without what opens its database and signs its sessions. */
function withoutSecrets(string $text): string
{
	try {
		foreach ([...array_keys(DATABASE_CONSTANTS), ...keyNames()] as $name)
			foreach (definitions($text)[$name] ?? [] as $unused) $text = withConstant($text, $name, "''");
		token_get_all($text, TOKEN_PARSE);
		return $text;
	} catch (\ParseError $error) {
		throw new Refusal('wp-config.php is no PHP that can be changed: ' . $error->getMessage());
	}
}

/** Gives what was copied a database, keys and an address of its own; `staging` says of what it is a staging copy. */
function adopt(array $order): array
{
	['folder' => $folder, 'database' => $database, 'url' => $url, 'staging' => $staging] = $order;
	$text = (string) file_get_contents("$folder/wp-config.php");
	try {
		foreach (DATABASE_CONSTANTS as $name => $part) $text = withConstant($text, $name, quoted($database[$part]));
		foreach (keyNames() as $name) $text = withConstant($text, $name, quoted(randomText(64)));
		foreach (['WP_HOME', 'WP_SITEURL'] as $name) $text = withConstant($text, $name, null);
		$text = withPlaces($text, $order['network'], (string) parse_url($url, PHP_URL_HOST));
		foreach (['WP_CACHE_KEY_SALT', 'WP_REDIS_PREFIX'] as $name)
			if (isset(definitions($text)[$name])) $text = withConstant($text, $name, quoted(randomText(32)));
		if ($staging !== null) $text = withConstant($text, 'WP_ENVIRONMENT_TYPE', "'staging'");
		$text = (new Replacer([$order['from'] => $order['place']], (array) ($order['network']['hosts'] ?? [])))->in($text);
		token_get_all($text, TOKEN_PARSE);
	} catch (\ParseError $error) {
		throw new Refusal('wp-config.php is no PHP that can be changed: ' . $error->getMessage());
	}
	unlink("$folder/wp-config.php");
	writeNew("$folder/wp-config.php", $text, 0600);
	ownRules("$folder/.htaccess", $url, $order['network']);
	if ($staging !== null) mark($folder, $staging);
	return [];
}

/** The value of a constant that stands in the file as a plain text; null for code, and where there is none. */
function literalIn(string $text, string $name): ?string
{
	return preg_match('/^([\'"])([^\'"\\\\$]*)\1$/', constantIn($text, $name) ?? '', $found) === 1 ? $found[2] : null;
}

/**
 * A configuration with the new place of a network (null: it is none), and with cookies of its own: those
 * for the domain of before would go to and fro between both. With several networks the file may leave it to
 * code, or to the database, which of them is asked for, and then does so still.
 */
function withPlaces(string $text, ?array $network, string $host): string
{
	$names = (array) ($network['names'] ?? []);
	$cookies = literalIn($text, 'COOKIE_DOMAIN');
	if ($cookies !== null && $cookies !== '') {
		$dot = $cookies[0] === '.' ? '.' : '';
		$text = withConstant($text, 'COOKIE_DOMAIN', quoted($dot . ($names[strtolower(ltrim($cookies, '.'))] ?? $host)));
	}
	if ($network === null) return withConstant($text, 'DOMAIN_CURRENT_SITE', null);
	if (!$network['several']) {
		foreach (['DOMAIN_CURRENT_SITE' => 'domain', 'PATH_CURRENT_SITE' => 'path'] as $name => $part)
			$text = withConstant($text, $name, quoted($network[$part]));
		return $text;
	}
	$domain = literalIn($text, 'DOMAIN_CURRENT_SITE');
	$new = $domain === null ? null : $names[strtolower($domain)] ?? null;
	if ($new !== null) $text = withConstant($text, 'DOMAIN_CURRENT_SITE', quoted($new));
	$path = literalIn($text, 'PATH_CURRENT_SITE');
	if ($path !== null && strpos($path, $network['fromPath']) === 0)
		$text = withConstant($text, 'PATH_CURRENT_SITE', quoted($network['path'] . substr($path, strlen($network['fromPath']))));
	return $text;
}

/** What WordPress wrote for its addresses, for the new one; the owner's rules stay. */
function ownRules(string $file, string $url, ?array $network): void
{
	$text = is_file($file) ? (string) file_get_contents($file) : '';
	$begin = strpos($text, '# BEGIN WordPress');
	$end = strpos($text, '# END WordPress');
	if ($begin === false || $end === false || $end < $begin) return;
	$end += strlen('# END WordPress');
	$rules = $network === null ? trim(rulesText($url)) : rulesOfNetwork(substr($text, $begin, $end - $begin), $network['path']);
	$new = substr($text, 0, $begin) . $rules . substr($text, $end);
	unlink($file);
	writeNew($file, $new, 0644);
}

/** Marks a staging copy: it is found by this, sends no mail, and asks search engines to stay away. */
function mark(string $folder, string $of): void
{
	$file = "$folder/" . MARK_FILE;
	if (!is_dir(dirname($file)) && !mkdir(dirname($file), 0755, true)) throw new Refusal('The folder mu-plugins cannot be made.');
	$text = strtr((string) file_get_contents(__DIR__ . '/staging.php'), ['{{of}}' => rawurlencode($of)]);
	writeNew($file, $text, 0644);
}

/** Replaces addresses and folders in the tables of the order, or in all of the site; see `replaceAddress`. */
function replaceAll(array $order): array
{
	loadDatabase($order);
	global $wpdb;
	$tables = $order['tables'] ?? tablesOf(connect(DB_NAME, DB_USER, DB_PASSWORD, DB_HOST));
	$done = replaceIn($tables, new Replacer((array) $order['pairs'], (array) ($order['hosts'] ?? [])), false);
	// Of a network each site has options of its own.
	$prefix = preg_quote($wpdb->base_prefix, '/');
	foreach ($order['hide'] ? preg_grep("/^{$prefix}(?:[0-9]+_)?options$/", $tables) : [] as $table)
		$wpdb->query("UPDATE `$table` SET option_value = '0' WHERE option_name = 'blog_public'");
	wp_cache_flush();
	return $done;
}
