<?php
/** Updates of plugins and themes: what the site's own WordPress was offered, and has it fetch that. */

namespace Berth\Runner;

/** What of WordPress' administration is needed for them. */
function loadUpdater(array $order, bool $online): void
{
	load($order['folder'], $order['url'], $online);
	foreach (['file', 'misc', 'plugin', 'theme', 'update', 'class-wp-upgrader'] as $part)
		require_once ABSPATH . "wp-admin/includes/$part.php";
}

/** What WordPress noted of the last answer, newer than what is there: by kind and slug. */
function offersNow(): array
{
	$found = ['plugin' => [], 'theme' => []];
	$add = static function (string $kind, string $slug, string $key, $offer, string $has) use (&$found): void {
		$version = (string) ($offer['new_version'] ?? '');
		$package = (string) ($offer['package'] ?? '');
		if ($version === '' || $package === '' || version_compare($version, $has, '<=')) return;
		$found[$kind][$slug] = ['key' => $key, 'version' => $version, 'package' => $package];
	};
	$content = realpath(ABSPATH . 'wp-content');
	$plugins = get_site_transient('update_plugins');
	// Others than the usual places are not looked into, so nothing of theirs is exchanged.
	if ($content !== false && realpath(WP_PLUGIN_DIR) === "$content/plugins")
		foreach (get_plugins() as $file => $head) {
			$offer = ((array) ($plugins->response ?? []))[$file] ?? null;
			// Of a plugin without a folder, packages have one.
			if ($offer !== null && strpos($file, '/') !== false)
				$add('plugin', dirname($file), $file, (array) $offer, (string) $head['Version']);
		}
	$themes = get_site_transient('update_themes');
	foreach (wp_get_themes(['errors' => null]) as $slug => $theme) {
		$offer = ((array) ($themes->response ?? []))[$slug] ?? null;
		if ($offer !== null && $content !== false && realpath($theme->get_theme_root()) === "$content/themes")
			$add('theme', (string) $slug, (string) $slug, (array) $offer, (string) $theme->get('Version'));
	}
	return $found;
}

/** What it was offered; `ask`: after it has asked anew. */
function offers(array $order): array
{
	loadUpdater($order, $order['ask']);
	$asked = false;
	if ($order['ask']) {
		foreach (['update_plugins', 'update_themes'] as $name) {
			$known = get_site_transient($name);
			if (!is_object($known)) continue;
			$known->last_checked = 0;
			set_site_transient($name, $known);
		}
		$asked = wp_update_plugins() !== false;
		$asked = wp_update_themes() !== false && $asked;
	}
	$offers = [];
	foreach (offersNow() as $kind => $ofKind)
		foreach ($ofKind as $slug => ['version' => $version])
			$offers[] = ['kind' => $kind, 'slug' => (string) $slug, 'version' => $version];
	return ['offers' => array_slice($offers, 0, 600), 'asked' => $asked];
}

/** Has WordPress' own upgrader fetch what was offered, into a file. */
function fetchPackage(array $order): array
{
	loadUpdater($order, true);
	['kind' => $kind, 'slug' => $slug, 'to' => $to] = $order;
	$offer = offersNow()[$kind][$slug] ?? null;
	if ($offer === null) throw new Refusal("WordPress has no newer version of $slug on offer.");
	$skin = new \Automatic_Upgrader_Skin();
	$upgrader = $kind === 'plugin' ? new \Plugin_Upgrader($skin) : new \Theme_Upgrader($skin);
	$upgrader->init();
	$upgrader->upgrade_strings();
	$about = [$kind => $offer['key'], 'type' => $kind, 'action' => 'update'];
	$file = $upgrader->download_package($offer['package'], true, $about);
	// Most packages are not signed: as WordPress has it, that alone is no reason to refuse one.
	if (is_wp_error($file) && $file->get_error_data('softfail-filename'))
		$file = $file->get_error_data('softfail-filename');
	if (is_wp_error($file)) throw new Refusal($file->get_error_message());
	if (!is_string($file) || !is_file($file)) throw new Refusal("The new version of $slug could not be fetched.");
	if (!copy($file, $to)) throw new Refusal('A file could not be written. Is there enough room in the account?');
	if ($file !== $offer['package']) unlink($file);
	return ['fetched' => true];
}

/** The version that the head of a plugin's or theme's file tells; null where it is none. */
function versionOf(string $kind, string $path): ?string
{
	$files = $kind === 'theme' ? ["$path/style.css"] : (is_dir($path) ? glob(addcslashes($path, '*?[]{}\\') . '/*.php') : [$path]);
	// Most often it is called like its folder.
	usort($files, static fn ($a, $b) => (basename($b, '.php') === basename($path)) <=> (basename($a, '.php') === basename($path)) ?: strcmp($a, $b));
	$field = $kind === 'theme' ? 'Theme Name' : 'Plugin Name';
	foreach (array_slice($files, 0, 20) as $file) {
		if (!is_file($file)) continue;
		$head = str_replace("\r", "\n", (string) file_get_contents($file, false, null, 0, 8192));
		if (!preg_match('/^(?:[ \t]*<\?php)?[ \t\/*#@]*' . $field . ':/mi', $head)) continue;
		if (!preg_match('/^(?:[ \t]*<\?php)?[ \t\/*#@]*Version:(.*)$/mi', $head, $found)) return null;
		return trim((string) preg_replace('/\s*(?:\*\/|\?>).*/', '', $found[1]));
	}
	return null;
}

/** 409 for what leads elsewhere; packages have no links. */
function refuseLinks(string $path, int $depth = 0): void
{
	if (is_link($path) || $depth > 40) throw new Refusal('What was brought holds a link.');
	if (!is_dir($path)) return;
	foreach (scandir($path) as $name) if ($name !== '.' && $name !== '..') refuseLinks("$path/$name", $depth + 1);
}

/** Looks at what lies ready: that alone, without links, with its version and the one from before. Nothing of it is run. */
function judge(array $order): array
{
	['kind' => $kind, 'slug' => $slug, 'folder' => $folder, 'before' => $before] = $order;
	$names = array_values(array_diff(scandir($folder), ['.', '..', '__MACOSX']));
	if ($names !== [$slug]) throw new Refusal("What was brought does not hold $slug alone.");
	refuseLinks("$folder/$slug");
	return ['before' => versionOf($kind, "$before/$slug"), 'after' => versionOf($kind, "$folder/$slug")];
}

/** Tells the site's plugins of an update that was made, as WordPress itself does. */
function updated(array $order): array
{
	loadUpdater($order, false);
	['kind' => $kind, 'slug' => $slug] = $order;
	if ($kind === 'plugin') wp_clean_plugins_cache(false);
	else wp_clean_themes_cache(false);
	$keys = $kind === 'theme' ? [$slug] : array_values(array_filter(
		array_keys(get_plugins()),
		static fn ($file) => $file === $slug || strpos($file, "$slug/") === 0,
	));
	// It is no news any more; what others were offered stays.
	$known = get_site_transient("update_{$kind}s");
	if (is_object($known)) {
		foreach ($keys as $key) if (isset($known->response[$key])) unset($known->response[$key]);
		set_site_transient("update_{$kind}s", $known);
	}
	$skin = new \Automatic_Upgrader_Skin();
	$upgrader = $kind === 'plugin' ? new \Plugin_Upgrader($skin) : new \Theme_Upgrader($skin);
	$upgrader->init();
	do_action('upgrader_process_complete', $upgrader, ['action' => 'update', 'type' => $kind, 'bulk' => true, "{$kind}s" => $keys]);
	return ['told' => count($keys)];
}
