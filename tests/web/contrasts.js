// The texts that are seen whose ratio to what is behind them (WCAG 2) is under that of AA.
() => {
  const parts = (color) => color.match(/[\d.]+/g).map(Number);
  const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const light = (color) => {
    const [red, green, blue] = parts(color).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (each) => {
    for (; each; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if ((parts(color)[3] ?? 1) > 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  for (const each of document.querySelectorAll('body *')) {
    const hasText = [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!hasText || !each.checkVisibility() || each.disabled || each.closest('noscript, option')) continue;
    const [one, other] = [light(getComputedStyle(each).color), light(behind(each))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${each.outerHTML.slice(0, 80)}`);
  }
  return found;
}
