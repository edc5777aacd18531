"""Plan to records: the only place that joins the effects (launch, load, scrape,
host, store) with the pure logic."""
