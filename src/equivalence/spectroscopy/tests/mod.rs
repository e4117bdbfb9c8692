mod formula_price;
mod models;
mod random;
